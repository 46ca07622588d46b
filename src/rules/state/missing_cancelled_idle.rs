use crate::{model::session::messages::MessageKind, rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/missing-cancelled-idle",
    summary: "new work begins, but cancelled work was never reported as ended",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#cancellation"),
        requires: "cancelled work ends with an idle state with the stop reason `cancelled`",
    }],
    requirements: &["cancel.idle-before-new-work"],
    explanation: r"
The client still waits for the end of the cancelled work. It cannot tell the output of the next
prompt from the rest of the old output.
",
    tck: &["CANCEL-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u2"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m2","content":[{"type":"text","text":"Done"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u2"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m2","content":[{"type":"text","text":"Done"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(
        &[
            "agent_message",
            "agent_message_chunk",
            "agent_thought",
            "agent_thought_chunk",
            "state_update",
        ],
        check,
    )],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let cancel = session.work.stops.cancelled_work?;
    if update.kind == "state_update" {
        return session.activity.is_ended_by(update).then_some(Verdict::Pass);
    }
    let accepted = session.work.next_accepted?;
    let message_kind = MessageKind::of(&update.kind.as_cow())?;
    let id = update.message_id?;
    // The cancelled work may finish a message that it has begun.
    if session.messages.get(message_kind, id).is_some() {
        return None;
    }
    Some(
        Finding::new("new work begins, but cancelled work was never reported as ended")
            .at(accepted, "the next prompt is accepted here")
            .at(cancel.at, "the client cancels the work here")
            .at(update.kind, "output of the new work")
            .help("send `idle` with the stop reason `cancelled` first")
            .once_per(cancel.number)
            .into(),
    )
}
