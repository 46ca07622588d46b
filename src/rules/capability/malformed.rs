use crate::{
    json::Kind,
    protocol::schema::{Effect, FaultKind},
    rule::prelude::*,
    rules::capability::location,
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/malformed",
    summary: "a capability has the wrong JSON type",
    level: By::each(Level::Schema, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("ClientCapabilities"),
            requires: "each capability has its own type; anything else means unsupported",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("AgentCapabilities"),
            requires: "each capability has its own type; anything else means unsupported",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/migration#support-markers-are-objects-not-booleans",
            ),
            requires: "a capability is advertised by an object, not by a boolean",
        },
    ],
    explanation: r"
Official readers read a capability of the wrong type as not advertised; strict readers refuse the
whole `initialize`. The sender believes that it advertised the feature, but nobody uses it. Version 1
has booleans in some places and objects in others; version 2 has only objects. A side that uses what
such a value seems to offer is not blamed.
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
    let path = location::path_at(&pointer)?;
    let FaultKind::WrongType { expected, found } = &refused.what.kind else { return None };
    let expected: Vec<_> = expected.iter().filter(|kind| **kind != "null").copied().collect();
    let expected = expected.join(" or ");
    let message = if path.is_empty() {
        format!("the capabilities are of type {found}, not {expected}")
    } else {
        format!("the capability `{path}` is of type {found}, not {expected}")
    };
    let help = match (expected.as_str(), refused.what.node.kind()) {
        ("object", Kind::True) => "write `{}` to advertise the capability",
        ("boolean", Kind::Object) => "write `true` to advertise the capability",
        (_, Kind::False) => "leave it out if it is not supported",
        _ => "use the right type, or leave it out if it is not supported",
    };
    Some(
        Finding::new(message)
            .at(refused.what.node, "official readers read this as unsupported")
            .help(help)
            .explains(refused.what.node)
            .blaming(refused.message.sender)
            .into(),
    )
}
