use crate::{model::MessagePart, protocol::schema::Effect, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "schema/null-result",
    summary: "a result is null, but the schema demands an object",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Info),
    binds: Bound::Responder,
    surfaces: Surfaces::V1,
    needs: &[Loss::EmptyValues],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#loading-a-session"),
            requires: "the page shows `\"result\": null`, but the schema demands an object",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/file-system#writing-files"),
            requires: "the page shows `\"result\": null`, but the schema demands an object",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("LoadSessionResponse"),
            requires: "the result is an object without required members",
        },
    ],
    explanation: r"
Early versions of the protocol had no result for some methods and answered null; some pages still
show it. The schema demands an object, which may have `_meta`. Official readers accept null as `{}`
for these methods only. A strict reader refuses it.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[On::Answer(&[], exercised), On::Rejected(check)],
    ..Rule::DEFAULT
};

fn exercised(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result().filter(|_| answer.request.defined)?;
    result.is_object().then_some(Verdict::Pass)
}

fn check(refused: &Rejected<'_>, _: &Connection) -> Option<Verdict> {
    let result = refused.what.node;
    if !concerns(refused) {
        return None;
    }
    let finding =
        Finding::new(format!("the result of `{}` is null, not an object", refused.method))
            .at(result, "expected an object")
            .and_at(refused.request.map(|request| request.method_at), "the request")
            .help("answer `{}`: official readers accept null for it, others may not")
            .explains(result)
            .once_per(refused.method);
    Some(finding.into())
}

/// Whether this rule, rather than `schema/result`, reports a fault: a null that readers accept as
/// an empty result. Never on version 2.
pub(super) fn concerns(refused: &Rejected<'_>) -> bool {
    let place = refused.what.node.span();
    refused.version == Version::V1
        && refused.part == MessagePart::Result
        && refused.what.effect == Effect::NullTolerated
        && refused.message.envelope.result.is_some_and(|whole| whole.span() == place)
}
