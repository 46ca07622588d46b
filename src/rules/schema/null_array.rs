use crate::{
    model::MessagePart,
    protocol::schema::{Effect, Observation},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/null-array",
    summary: "an array is null",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V1,
    needs: &[Loss::EmptyValues],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Other("schema, `x-deserialize-default-on-null`"),
        requires: "the member is a list; readers accept null where the schema marks it",
    }],
    explanation: r"
Some languages write an empty list as null. Official readers accept that for a few members, such as
`mcpServers`, `args` and `env`. The schema does not, and a reader generated from it refuses the
message.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":null}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Observed(seen), On::Rejected(refused)],
    ..Rule::DEFAULT
};

fn seen(seen: &Observed<'_>, _: &Connection) -> Option<Verdict> {
    let Observation::NullForList { value, member } = seen.what else { return None };
    Some(finding(value, member).into())
}

/// Checks a null that makes the schema reject a whole variant of a union, in which case members of
/// the variant are not reported.
fn refused(refused: &Rejected<'_>, _: &Connection) -> Option<Verdict> {
    let node = refused.what.node;
    if refused.what.effect != Effect::NullTolerated || refused.part != MessagePart::Params {
        return None;
    }
    let pointer = node.pointer();
    let member = pointer.rsplit('/').next().filter(|_| node.is_null())?;
    Some(finding(node, member).into())
}

fn finding(value: Node<'_>, member: &str) -> Finding {
    Finding::new(format!("`{member}` is null, not an empty array"))
        .at(value, "official readers accept null here")
        .help(format!("write `{member}` as an empty array"))
        .explains(value)
        .once_per(member)
}
