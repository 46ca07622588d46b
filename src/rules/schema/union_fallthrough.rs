use crate::{
    protocol::schema::{Observation, Protocol},
    rule::prelude::*,
    rules::schema::field_casing::respelt,
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/union-fallthrough",
    summary: "an object is read as another type than it says",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("McpServer"),
            requires: "a server without a type is a stdio server; `http` and `sse` are other types",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("AuthMethod"),
            requires: "a method without a type is a method of the agent; `terminal` is another \
                       type",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other(
                "agent-client-protocol-schema, src/v1/agent.rs, \
                 `deserialize_agent_auth_method_fallback`",
            ),
            requires: "a malformed method of another type must not be read as a method of the \
                       agent",
        },
    ],
    explanation: r"
On version 1, two unions have a form without a type, which accepts any object with the right
members. So an object that names another type but does not match it still passes the schema, as
something else. For example, a login in a terminal becomes a method for `authenticate`. Official
readers reject or drop it instead. The type `stdio` on a stdio server is common and harmless.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"http","name":"docs","command":"docs","args":[],"env":[]}]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"http","name":"docs","url":"https://docs.example/mcp","headers":[]}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Observed(check)],
    variants: &[(Severity::Info, "where the type is not needed")],
    ..Rule::DEFAULT
};

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::Fallthrough { object, tag, branch, meant, site } = seen.what else {
        return None;
    };
    let text = tag.text()?.as_cow();
    let key = (branch, &*text);
    let Some(meant) = meant else {
        // `schema/field-casing` reports a difference in case.
        if respelt(&text, &site.known).is_some() {
            return None;
        }
        let message = if text == branch {
            format!("the type `{text}` is not needed")
        } else {
            format!("the type `{text}` is not defined, so the object is read as `{branch}`")
        };
        let finding = Finding::new(message)
            .at(tag, format!("the form without a type is `{branch}`"))
            .help("leave the type out: version 1 has none here, and readers ignore it")
            .as_severity(Severity::Info)
            .once_per(key);
        return Some(finding.into());
    };
    let mut finding =
        Finding::new(format!("the object is not a valid `{meant}`, but passes as `{branch}`"))
            .at(tag, format!("the object does not match `{text}`"));
    let protocol = Protocol::of(Surface::unstable(seen.version), connection.edition());
    for fault in protocol.definition(meant).into_iter().flat_map(|it| it.faults(object)) {
        finding = if fault.node.span() == object.span() {
            finding.at(Mark::missing_in(object), "a member is missing here")
        } else {
            finding.at(fault.node, "does not fit")
        };
    }
    let help = format!("write it as a `{meant}`; official readers reject or drop it");
    Some(finding.help(help).explains(object).into())
}
