use crate::{rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/null-id-error-code",
    summary: "an error has a null id, but all messages were readable",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Off),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AgentResponse"),
            requires: "the id of an error is null only if the id of the request could not be read",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("5"),
            requires: "the id is null only if it could not be read",
        },
    ],
    requirements: &["jsonrpc.null-response-id"],
    explanation: r"
A parse error with a null id says that a message was not readable. If all messages so far were
readable, the receiver has lost its place in the stream, or refuses a request without its id, and
the sender waits in vain. The rule is off by default, because a recording often lacks the unreadable
messages.
",
    tck: &["INFO-BATCH-201", "INFO-PARSE-001", "INFO-INVALIDREQ-001"],
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid request"}}"#,
    )],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    let (number, _) = failure::code(message)?;
    let id = message.envelope.id?;
    if !matches!(number, -32700 | -32600) || !connection.head_is_complete() {
        return None;
    }
    let is_clear =
        connection.unclear_to(message.sender) == 0 && connection.lost_to(message.sender) == 0;
    let finding = (id.is_null() && is_clear).then(|| {
        Finding::new(format!(
            "an error with code {number} has a null id, but all messages were readable"
        ))
        .at(id, "expected the id of the request")
        .help("return the id of the request; null is only for messages whose id cannot be read")
    });
    Some(finding.into())
}
