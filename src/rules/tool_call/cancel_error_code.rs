use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/cancel-error-code",
    summary: "cancelling a tool call is refused with another code than -32602",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CancelToolCallRequest"),
        requires: "a refused cancellation fails with -32602",
    }],
    explanation: r#"
One code for all refusals lets clients tell "there is nothing to cancel" from "cancelling failed".
The user needs to know only about the second.
"#,
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"completed","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"c1"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Too late"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Watch","status":"completed","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"c1"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Too late"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Answer(&["tool_call/cancel"], check)],
    ..Rule::DEFAULT
};

/// Error codes that have other reasons than a tool call that cannot be cancelled: a cancelled
/// request, an unknown session, an unknown method.
const OTHER_MATTERS: [i64; 3] = [-32800, -32002, -32601];

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let code = answer.error()?.get("code")?;
    let number = code.integer()?;
    if OTHER_MATTERS.contains(&number) {
        return None;
    }
    if number == -32602 {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("cancelling a tool call is refused with {number}"))
            .at(code, "expected -32602")
            .at(answer.request.at, "the cancellation")
            .into(),
    )
}
