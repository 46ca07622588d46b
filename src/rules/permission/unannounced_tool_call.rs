use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "permission/unannounced-tool-call",
    summary: "the agent asks for permission for an unannounced tool call",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#creating"),
            requires: "the agent reports each tool call of the model with `tool_call`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#requesting-permission"),
            requires: "the request names a tool call by its id",
        },
    ],
    explanation: r"
The request has enough data for a dialog, so it may come before the tool call. But clients that keep
a table of tool calls have failed here. They have no entry for the question, and the later updates
have nothing to change.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1","title":"Run the tests","status":"pending"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"completed"}}}
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

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let id = call.param("toolCall")?.get("toolCallId")?.text()?;
    if !session.is_fully_recorded()
        || session.is_replaying()
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    if session.tool_calls.get(id).is_some() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "the agent asks for permission for tool call `{id}` before announcing it"
        ))
        .at(id, "no `tool_call` has announced it so far")
        .help("send `tool_call` first: some clients show the question beside it")
        .once_per(())
        .into(),
    )
}
