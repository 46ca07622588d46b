use crate::{model::request::submission::PromptRequest, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/idempotency-key-reused",
    summary: "a new prompt has the idempotency key of another prompt",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("IdempotencyKey"),
        requires: "a key identifies one prompt of a session, in all attempts to send it",
    }],
    explanation: r"
The agent recognizes a repeated prompt only by its key. It answers with the message id of the first
prompt and ignores the second one: the user's message is lost.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"And sweep"}]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"l","prompt":[{"type":"text","text":"And sweep"}]}}"#,
    )],
    on: &[On::Call(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let key = call.param("idempotencyKey")?.text()?;
    let session = connection.session(call.session_id()?)?;
    let other = session.work.other_keyed(&PromptRequest::of(call)?);
    Some(Verdict::from(other.filter(|keyed| !session.work.is_past(keyed)).map(|keyed| {
        Finding::new(format!("the key `{key}` is used for another prompt"))
            .at(key, "the key of this prompt")
            .at(keyed.at, "the first prompt with this key")
            .help("give each prompt its own key; only a retry has the same key")
    })))
}
