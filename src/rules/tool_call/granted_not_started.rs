use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/granted-not-started",
    summary: "a tool call that was allowed completes and was never in progress",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order, Loss::AgentRequests, Loss::AnswersOf(Side::Client)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page(
                "protocol/v1/prompt-turn#5-tool-invocation-and-status-reporting",
            ),
            requires: "an agent reports a tool call that was allowed as `in_progress`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/prompt-lifecycle#5-tool-invocation-and-status-reporting",
            ),
            requires: "an agent reports a tool call that was allowed as `in_progress`",
        },
    ],
    requirements: &["tool-call.in-progress"],
    explanation: r"
The user has allowed a tool call. While the tool runs, the client should show that: after `pending`
comes `in_progress`, then `completed` or `failed`. A tool call that jumps from the question to
`completed` looks as if it still waits while it runs. Short tools hardly show it, so the rule is off by
default.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1","title":"Run the tests"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1","title":"Run the tests"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Update(&["tool_call", "tool_call_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    let granted = session.authority.call(id)?.allowed.as_ref()?.answer;
    let call = session.tool_calls.get(id)?;
    let status = update.status?;
    if session.is_replaying() || !status.is("completed") || call.is_final() {
        return None;
    }
    if call.was_running {
        return Some(Verdict::Pass);
    }
    // One of the lost messages may have been the report.
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    Some(
        Finding::new(format!("tool call `{id}` completes and was never in progress"))
            .at(status, "never reported as in progress")
            .at(granted, "the client allows it here")
            .help("report `in_progress` when the tool begins to run")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
