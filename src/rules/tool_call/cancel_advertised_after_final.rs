use crate::{rule::prelude::*, rules::tool_call::target};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/cancel-advertised-after-final",
    summary: "a finished tool call still offers `cancel`",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::EmptyValues],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ToolCallCapabilities"),
        requires: "a tool call offers `cancel` only while it can be cancelled",
    }],
    requirements: &["tool-call.cancel-offered"],
    explanation: r"
Clients show a stop button while the call offers it. On a finished call the button only sends
requests that fail.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watched"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watched","capabilities":null}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["tool_call_update"], check), On::Update(&["state_update"], ended)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    let call = session.tool_calls.get(id).filter(|call| !call.is_past)?;
    if session.is_replaying() {
        return None;
    }
    target::of(&id.as_cow(), call).offer(update)
}

/// At the update that ends the session's work: one finding for each tool call that has ended and
/// still offers its cancellation.
fn ended(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    // When the client cancels, other rules check the responses.
    let is_cancelled = session.tool_calls.any_cancelled;
    if session.is_replaying() || is_cancelled || !session.activity.is_ended_by(update) {
        return None;
    }
    let offering = session.tool_calls.offering_since(session.activity.ended);
    let findings: Vec<_> = offering
        .filter(|(_, call)| !call.is_past)
        .filter_map(|(id, call)| {
            let ((_, end, _), offered) = (call.status?, call.cancellation().offered?);
            Some(target::of(id, call).still_offers(end, offered))
        })
        .collect();
    Verdict::failed(findings)
}
