use crate::{
    model::{RequestFacts, Session, session::authority::CallAuthority},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/proceeded-before-answer",
    summary: "a tool runs while its permission request is still open",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::Order, Loss::AgentRequests],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#5-tool-invocation-and-status-reporting"),
        requires: "a tool that needs permission runs only after the permission is given",
    }],
    explanation: r"
If an agent asks but does not wait, the user believes that nothing has happened yet. Either the
agent runs the tool at the same time as it asks, or it reports a false status.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["session/request_permission"], check)],
    ..Rule::DEFAULT
};

/// Checks, at the answer to a permission request, that the agent did not go on before it.
/// Recordings of one side, which have no answers, are not judged.
fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Permission(ask) = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let id = ask.tool_call.as_deref()?;
    let call = session.tool_calls.named(id)?;
    let outcome = answer.result()?.get("outcome")?;
    if session.is_replaying() {
        return None;
    }
    let proceeded = call.proceeded.filter(|(_, number)| *number > answer.request.number);
    let Some((at, _)) = proceeded else { return Some(worked(answer, session, id)) };
    Some(
        Finding::new(format!(
            "tool call `{id}` continues while its permission request is still open"
        ))
        .at(at, "not answered yet")
        .at(answer.request.at, "the agent asks for permission here")
        .at(outcome, "answered here")
        .help("wait for the answer before running the tool")
        .into(),
    )
}

/// The verdict on what the agent did through the client while its question about that was open.
/// `id` is the id of the tool call.
fn worked(answer: &Answer<'_>, session: &Session, id: &str) -> Verdict {
    let own = session.authority.named(id);
    let Some(deed) = own.and_then(|own| own.early.as_ref()) else { return Verdict::Pass };
    let may_explain = |call: &CallAuthority| call.open.is_none() && call.refused.is_none();
    if session.authority.naming(deed).any(|(other, call)| other != id && may_explain(call)) {
        return Verdict::Pass;
    }
    let target = &deed.target;
    Finding::new(format!(
        "the agent works on `{target}` while the permission request of tool call `{id}` is still open"
    ))
    .at(deed.at, "not answered yet")
    .at(answer.request.at, "the agent asks for permission here")
    .at(answer.node, "answered here")
    .help("wait for the answer before running the tool")
    .into()
}
