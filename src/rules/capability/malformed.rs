use crate::{
    json::Kind,
    protocol::schema::{Effect, FaultKind},
    rule::prelude::*,
    rules::capability::place,
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/malformed",
    summary: "a capability has the wrong JSON type",
    level: By::each(Level::Schema, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("ClientCapabilities"),
            requires: "each capability has its own type; readers take anything else for its absence",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("AgentCapabilities"),
            requires: "each capability has its own type; readers take anything else for its absence",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/migration#support-markers-are-objects-not-booleans",
            ),
            requires: "support is advertised by an object, not by a boolean",
        },
    ],
    explanation: r"
Official readers swallow a capability of the wrong type and treat it as not advertised. The sender
believes that it has announced a feature, and the feature is never used; nobody gets an error.
Version 1 has booleans in some places and objects in others, version 2 only objects.
",
    tck: &["INIT-204"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":true}},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":null}},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":true}}},"info":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{}}}},"info":{"name":"agent","version":"1.0.0"}}}"#,
        ),
    ],
    on: &[On::Rejected(check)],
    ..Rule::DEFAULT
};

fn check(refused: &Rejected<'_>, _: &Connection) -> Option<Verdict> {
    if refused.method != "initialize" || !matches!(refused.what.effect, Effect::Defaulted { .. }) {
        return None;
    }
    let pointer = refused.what.node.pointer();
    let path = place::path(&pointer)?;
    let FaultKind::WrongType { expected, found } = &refused.what.kind else { return None };
    let expected: Vec<_> = expected.iter().filter(|kind| **kind != "null").copied().collect();
    let expected = expected.join(" or ");
    let message = if path.is_empty() {
        format!("the capabilities are of type {found}, not {expected}")
    } else {
        format!("the capability `{path}` is of type {found}, not {expected}")
    };
    let help = match (expected.as_str(), refused.what.node.kind()) {
        ("object", Kind::True) => "write `{}` to advertise it",
        ("boolean", Kind::Object) => "write `true` to advertise it",
        (_, Kind::False) => "leave it out, or write null",
        _ => "to advertise nothing, leave it out",
    };
    Some(
        Finding::new(message)
            .at(refused.what.node, "official readers take this for its absence")
            .help(help)
            .explains(refused.what.node)
            .blaming(refused.message.sender)
            .into(),
    )
}
