use crate::{
    model::session::{activity::AgentState, messages::MessageKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "message/chunk-after-completion",
    summary: "a message grows after the work that produced it has ended",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#message-ids"),
        requires: "a message belongs to the work that produces it",
    }],
    explanation: r"
With the idle state clients take the message for complete: they render it, read it aloud, store it. A
chunk that makes it longer afterwards is easily missed. Background work may report while the session
is idle, so this is only a hint.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"ok"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":" and more"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"ok"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"Something else"}}}}"#,
    )],
    on: &[On::Update(&["agent_message_chunk"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let activity = &session.activity;
    if activity.state != AgentState::Idle || session.is_replaying() {
        return None;
    }
    let ended_at = activity.ended_at?;
    let has_background = activity.background().is_some_and(|background| !background.is_empty());
    if activity.ended_by_cancel || has_background {
        return None;
    }
    let id = update.message_id?;
    let known = session.messages.get(MessageKind::Agent, id);
    let Some(known) = known.filter(|known| known.first_number < activity.ended) else {
        return Some(Verdict::Pass);
    };
    Some(
        Finding::new(format!("message `{id}` grows after the work that produced it has ended"))
            .at(update.update, "a chunk of it")
            .at(ended_at, "the work ended here")
            .at(known.first, "the message began here")
            .help("send all of a message before the idle state, or begin another message")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
