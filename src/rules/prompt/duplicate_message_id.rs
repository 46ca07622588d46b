use crate::{
    model::{RequestFacts, session::messages::MessageKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/duplicate-message-id",
    summary: "two prompts get the same message id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::September2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("MessageId"),
        requires: "the id is unique among the messages of its type in the session",
    }],
    explanation: r"
A client that knows the id replaces the earlier message with the new prompt, or adds to it. So the
earlier message disappears from the conversation. Only a prompt that is sent again with the same
`idempotencyKey` gets the id of the first attempt.
",
    tck: &["PATCH-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u2"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.result()?.get("messageId")?.text()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let mut shown = session.messages.get(MessageKind::User, id);
    shown = shown.filter(|shown| shown.first_number < answer.request.number);
    if let RequestFacts::Prompt(prompt) = &answer.request.facts {
        if session.work.other_keyed(prompt).is_some() {
            return None; // prompt/idempotency-key-reused
        }
        if let Some(keyed) = session.work.keyed(prompt) {
            if keyed.inserted.is_some() {
                return Some(Verdict::Pass); // prompt/idempotency-id-changed
            }
            // The message of an earlier attempt without a response on record.
            let is_whole = session.is_fully_recorded();
            shown = shown.filter(|shown| is_whole && shown.first_number < keyed.number);
        }
    }
    let earlier = session.work.prompt(id).map(|prompt| prompt.at);
    let finding = earlier.or(shown.map(|shown| shown.first)).map(|first| {
        Finding::new(format!("a prompt gets the message id `{id}`, which another message has"))
            .at(id, "the same id again")
            .at(first, "the first message with this id")
            .help("give each user message its own id")
    });
    // The first message has an id that no other has.
    (finding.is_some() || session.work.has_accepted()).then(|| finding.into())
}
