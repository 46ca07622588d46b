use crate::{json::Kind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "transport/not-object",
    summary: "a line is a JSON value, but not a message object",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "a message is an object",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#stdio"),
            requires: "standard input and output have only protocol messages",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("5"),
            requires: "a response is an object",
        },
    ],
    explanation: r"
A number, a string or a literal alone is JSON but not a message: it has no method and no id. Readers
drop it or answer with -32600. Usually it is debug output that happens to be JSON, or a result
without its envelope.
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
            .help("write each message as a JSON object: readers drop this or answer with -32600")
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
