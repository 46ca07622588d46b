use crate::{
    model::session::{activity::AgentState, messages::MessageKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "message/chunk-after-completion",
    summary: "a message gets longer after its work has ended",
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
In the idle state a message is complete: clients render it, read it aloud, store it. They may miss a
chunk that comes later. Background work may send messages while the session is idle, so this is only
an info.
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
        Finding::new(format!("message `{id}` gets longer after its work has ended"))
            .at(update.update, "a later chunk")
            .at(ended_at, "the end of the work")
            .at(known.first, "the start of the message")
            .help("send the whole message before the idle state, or start a new message")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
