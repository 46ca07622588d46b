use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/session-update-in-permission",
    summary: "a permission request has a session update instead of a tool call",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("RequestPermissionRequest"),
            requires: "`toolCall` has the members of a tool call update, without `sessionUpdate`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "implementations add no members to the objects of the protocol",
        },
    ],
    explanation: r"
`toolCall` and the update `tool_call_update` have the same members, but `toolCall` has no
`sessionUpdate`. That member tells session updates apart and has no meaning here. Agents that use
one object for both send it too. Strict readers complain, and some readers take the request as a
second announcement.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"sessionUpdate":"tool_call_update","toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["session/request_permission"], check)],
    ..Rule::DEFAULT
};

fn check(request: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let report = request.param("toolCall").filter(|report| report.is_object())?;
    let tag = report.members().find(|(name, _)| name.is("sessionUpdate"));
    let Some((name, _)) = tag else { return Some(Verdict::Pass) };
    Some(
        Finding::new("a permission request has a session update instead of a tool call")
            .at(name, "only for session updates")
            .help("remove `sessionUpdate` from `toolCall`")
            .explains(name)
            .once_per(())
            .into(),
    )
}
