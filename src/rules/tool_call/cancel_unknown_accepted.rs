use crate::{
    rule::prelude::*,
    rules::{cancellation, tool_call::target},
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/cancel-unknown-accepted",
    summary: "the agent accepts the cancellation of a tool call that cannot be cancelled",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CancelToolCallRequest"),
        requires: "cancelling a tool call that is unknown, has ended or does not offer it fails \
                   with -32602",
    }],
    explanation: r"
The client takes the result as a promise that an update to a final status will follow. A call that
has ended or never existed sends none, so the client waits forever.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"c1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"c1"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Nothing to cancel"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )
    .beside(&["capability/tool-call-cancel"])],
    on: &[On::Answer(&["tool_call/cancel"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    cancellation::accepted(answer, connection, "tool call", |session, id| {
        session.tool_calls.named(id).map(|call| target::of(id, call))
    })
}
