use crate::{rule::prelude::*, rules::tool_call::target};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/cancel-not-confirmed",
    summary: "a cancelled tool call never reaches a final status",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CancelToolCallRequest"),
        requires: "an update to a final status confirms an accepted cancellation",
    }],
    explanation: r"
The answer says only that the agent will try. Clients show the call as stopping until an update says
how it ended: cancelled, completed or failed.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running","background":[{"type":"tool_call","toolCallId":"c1"}]}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"c1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"tool_call","toolCallId":"c1"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"c1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"cancelled","capabilities":null}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"tool_call","toolCallId":"c1"}]}}}"#,
    )
    .closed()],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let calls = connection.sessions().flat_map(|(_, session)| session.tool_calls.iter());
    let verdicts = calls.filter_map(|(id, call)| target::of(id, call).confirmed());
    Verdict::all(verdicts)
}
