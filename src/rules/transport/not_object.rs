use crate::{json::Kind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "transport/not-object",
    summary: "a line holds a JSON scalar instead of a message object",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "a message is an object",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#stdio"),
            requires: "standard input and output carry protocol messages and nothing else",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("5"),
            requires: "a response is an object",
        },
    ],
    explanation: r"
A number, a string or a literal alone is JSON but no message: it has no method to call and no id to
answer. Readers drop it or answer with -32600. It is usually a debugging print that happened to be
JSON, or the result of a handler written without its envelope.
",
    tck: &["TRANSPORT-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#""ready""#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"42"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Done"}}}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    if message.batch.is_some() || message.node.is_array() {
        return None;
    }
    let finding = (!message.node.is_object()).then(|| {
        Finding::new(format!("a line is {}, not a message", kind(message.node)))
            .at(message.node, "expected an object")
            .help("readers drop it or answer with -32600; a message is a JSON object")
            .blaming(message.sender)
    });
    Some(finding.into())
}

fn kind(node: Node<'_>) -> &'static str {
    match node.kind() {
        Kind::Null => "null",
        Kind::True | Kind::False => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}
