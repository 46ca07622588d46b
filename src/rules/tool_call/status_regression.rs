use crate::{model::session::tool_calls::ToolCallStatus, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/status-regression",
    summary: "the status of a tool call goes back",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#status"),
            requires: "a tool call goes from pending to in progress and then to completed or failed",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#status"),
            requires: "a tool call that is completed, failed or cancelled has ended",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ToolCallStatus"),
            requires: "a tool call has these statuses, three of them final",
        },
    ],
    explanation: r"
Clients collapse finished tool calls, stop spinners and count the rest. If a finished call starts
again, the user misses it, or its spinner never stops. Usually one id is used for two runs of a
tool, or updates of parallel workers arrive in the wrong order.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Ran the tests"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"paused"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Update(&["tool_call_update"], check)],
    variants: &[(Severity::Info, "where one end replaces another on version 2")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    let version = connection.version()?;
    let (now, node) = ToolCallStatus::set_by(update.status, Some(version))?;
    let call = session.tool_calls.get(id).filter(|call| !call.is_past)?;
    let (before, at, _) = call.status?;
    if session.is_replaying() {
        return None;
    }
    let Some(severity) = severity(version, before, now) else { return Some(Verdict::Pass) };
    let message = if now.is_final() {
        format!(
            "tool call `{id}` ends as `{}`, but it already ended as `{}`",
            now.name(),
            before.name()
        )
    } else {
        format!("tool call `{id}` goes back from `{}` to `{}`", before.name(), now.name())
    };
    Some(
        Finding::new(message)
            .at(node, format!("`{}` from here", now.name()))
            .at(at, format!("`{}` since here", before.name()))
            .help("give each run of a tool its own id")
            .as_severity(severity)
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}

/// Severity of a change of a tool call's status; `None` when the change does not go backward.
fn severity(version: Version, before: ToolCallStatus, now: ToolCallStatus) -> Option<Severity> {
    let reopens = matches!(
        now,
        ToolCallStatus::Pending | ToolCallStatus::InProgress | ToolCallStatus::Paused
    );
    match (version, before, now) {
        (_, before, _) if before.is_final() && reopens => Some(Severity::Warning),
        (_, ToolCallStatus::InProgress, ToolCallStatus::Pending) => Some(Severity::Warning),
        // Updates may set any status, except that one end replaces another.
        (Version::V2, before, now) if before.is_final() && now.is_final() && before != now => {
            Some(Severity::Info)
        }
        _ => None,
    }
}
