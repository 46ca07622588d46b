use crate::{model::RequestFacts, rule::prelude::*, rules::recent};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/idempotency-key-accepted",
    summary: "a prompt with a malformed idempotency key is accepted",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation { version: Some(Version::V2), source: SourceText::Definition("PromptRequest.idempotencyKey"), requires: "the agent refuses a key that is not a string of 1 to 255 characters" }],
    requirements: &["prompt.idempotency-key-refused"],
    explanation: r"
The client relies on the key: if it sends the prompt again, the agent recognizes it. A key that the
agent cannot keep protects from nothing, and the message may be sent twice.
",
    examples: &[Example::new(
 Surface::V2,
 Opening::Session,
 r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}"#,
 r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Invalid idempotency key"}}"#,
).beside(&["schema/params"])],
    on: &[On::Answer(&["session/prompt"], check)],
    variants: &[(Severity::Error, "with `--edition 2026-11-20`")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Prompt(prompt) = &answer.request.facts else { return None };
    let key = prompt.malformed_key?;
    let finding = answer.result().map(|result| {
        let accepted = result.get("messageId").unwrap_or(result);
        Finding::new("a prompt with a malformed idempotency key is accepted")
            .at(accepted, "accepted")
            .at(key, "expected a string of 1 to 255 characters")
            .help("answer with error -32602")
            .as_severity(recent::severity(connection, Severity::Warning))
            .once_per("key")
    });
    Some(finding.into())
}
