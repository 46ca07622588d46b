use crate::{model::session::messages::MessageKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "cancel/update-after-response",
    summary: "the agent sends updates of a cancelled turn after its answer",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::Order],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
        requires: "the agent sends all updates of a cancelled turn before its answer",
    }],
    requirements: &["cancel.order", "cancel.updates-first"],
    explanation: r"
The answer `cancelled` tells the client that the turn is over. Later text and tool calls then appear
after the end of the turn, or in the next turn. Send or drop pending updates before the answer.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"One more thing"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"One more thing"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
    )],
    on: &[On::Update(
        &[
            "agent_message_chunk",
            "agent_thought_chunk",
            "tool_call",
            "tool_call_update",
            "session_info_update",
            "usage_update",
        ],
        check,
    )],
    variants: &[(Severity::Warning, "where the update may not belong to the turn")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id).filter(|it| !it.is_replaying())?;
    let turn = session.work.stops.cancelled_turn?;
    let body = update.update;
    let kind = &*update.kind.as_cow();
    // These updates belong to no turn.
    if matches!(kind, "session_info_update" | "usage_update") {
        return Some(Verdict::Pass);
    }
    let first = match MessageKind::of(kind) {
        Some(message_kind) => update
            .message_id
            .map(|id| session.messages.get(message_kind, id).map(|it| it.first_number)),
        None => update.tool_call_id.map(|id| session.tool_calls.get(id).map(|it| it.first_number)),
    };
    let is_new = first.is_some_and(|first| first.is_none_or(|number| number > turn.number));
    let finding = Finding::new(format!("`{kind}` comes after the answer to the cancelled turn"))
        .at(update.kind, "the turn is already over")
        .at(turn.at, "the turn ends here")
        .at(turn.cancel, "the cancellation")
        .help("send pending updates before the answer")
        .once_per(turn.number);
    // New work after the turn, or an update that the protocol does not define.
    let is_bare = body.get("toolCallId").is_some()
        && body
            .members()
            .all(|(name, _)| name.is("sessionUpdate") || name.is("toolCallId") || name.is("_meta"));
    let is_doubtful = is_new || is_bare;
    Some(finding.as_severity_if(is_doubtful, Severity::Warning).into())
}
