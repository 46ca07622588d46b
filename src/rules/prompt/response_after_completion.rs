use crate::{model::session::messages::MessageKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/response-after-completion",
    summary: "the agent answers a prompt only after the work has ended",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::September2026)),
    needs: &[Loss::Order],
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#2-prompt-accepted"),
            requires: "the answer comes as soon as the prompt is accepted, without waiting for \
                       the work",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptResponse"),
            requires: "the answer contains the message id, not the outcome",
        },
    ],
    requirements: &["prompt.accepted"],
    explanation: r"
On version 1 the answer ends the turn; on version 2 the state does. A client that waits for the
answer is blocked for the whole turn, or gives up with a timeout.
",
    tck: &["PROMPT-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.result()?.get("messageId")?.text()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let Some(shown) = session.messages.get(MessageKind::User, id) else {
        return Some(Verdict::Pass);
    };
    let asked = answer.request.number;
    let ended = session.activity.ended;
    // A client that closes a session does not wait for its prompts.
    let is_closed = session.info.closing.is_some_and(|closing| asked < closing.number);
    let is_late = shown.first_number > asked && ended > shown.first_number && !is_closed;
    let finding = is_late.then(|| {
        Finding::new("the agent answers a prompt only after the work has ended")
            .at(answer.node, "accepted here")
            .and_at(session.activity.ended_at, "the work ended here")
            .at(shown.first, "the prompt was inserted here")
            .help("answer as soon as you accept the prompt")
    });
    Some(finding.into())
}
