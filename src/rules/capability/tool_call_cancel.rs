use crate::{rule::prelude::*, rules::capability::crossing};

pub(crate) static RULE: Rule = Rule {
    id: "capability/tool-call-cancel",
    summary: "the client cancels a tool call that does not offer it",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#cancelling-tool-calls"),
            requires: "a client cancels only tool calls that offer `cancel`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CancelToolCallRequest"),
            requires: "the tool call has the capability `cancel`",
        },
    ],
    requirements: &["terminal.cancel-allowed"],
    explanation: r"
Only the agent knows whether one tool call can be stopped without stopping the whole turn, and it
says so for each tool call. If it does not offer `cancel`, the request fails. `session/cancel`
always works.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"Build","status":"in_progress"}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"t1"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","title":"Build","status":"in_progress","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"tool_call/cancel","params":{"sessionId":"s","toolCallId":"t1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"cancelled"}}}"#,
    )],
    on: &[On::Call(&["tool_call/cancel"], check)],
    variants: &[(Severity::Info, "where the messages may have crossed")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let id = call.param("toolCallId")?.text()?;
    let tool_call = session.tool_calls.get(id).filter(|_| session.is_fully_recorded())?;
    if tool_call.cancellation().offered.is_some() {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new(format!("the client cancels tool call `{id}`, which does not offer `cancel`"))
            .at(id, "requires its capability `cancel`")
            .at(tool_call.last, "its last update")
            .help("use `session/cancel` to stop the whole turn");
    Some(crossing::softened(finding, call, tool_call.cancellation()).into())
}
