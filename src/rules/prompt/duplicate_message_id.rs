use crate::{
    event::Answer,
    model::{Connection, Facts, message::Voice},
    protocol::{Edition, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/duplicate-message-id",
    summary: "two prompts get the same message id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::since(Edition::September2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("MessageId"),
        requires: "the id is unique among the messages of its type in the session",
    }],
    explanation: r"
A client that knows the message puts the new prompt in its place, or adds to it: the earlier one is
gone from the conversation.
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
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.result()?.get("messageId")?.text()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if let Facts::Prompt(prompt) = &answer.request.facts
        && session.work.keyed(prompt).is_some_and(|keyed| keyed.inserted.is_some())
    {
        return Some(Verdict::Pass); // prompt/idempotency-id-changed
    }
    let earlier = session.work.prompt(id).map(|prompt| prompt.at);
    let shown = session.utterances.get(Voice::User, id);
    let shown = shown.filter(|shown| shown.first_number < answer.request.number);
    let finding = earlier.or(shown.map(|shown| shown.first)).map(|first| {
        Finding::new(format!("a prompt gets the message id `{id}`, which is taken"))
            .at(id, "the same id again")
            .at(first, "the first message with it")
            .help("give each message of the user an id of its own")
    });
    Some(finding.into())
}
