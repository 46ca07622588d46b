use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/duplicate-create",
    summary: "a tool call is announced twice",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/tool-calls#creating"),
        requires: "the id of a tool call is unique within its session",
    }],
    explanation: r"
`tool_call` creates an entry, and `tool_call_update` changes it. Some clients show a second
`tool_call` with the same id as another entry, and others replace the first one. If the agent learns
the tool's input bit by bit, it should send updates.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run all tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run all tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Update(&["tool_call"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    // Without the requests of the client, a replay cannot be recognised.
    if session.is_replaying() || connection.recording().only == Some(Side::Agent) {
        return None;
    }
    let Some(call) = session.tool_calls.get(id).filter(|call| !call.is_past) else {
        return Some(Verdict::Pass);
    };
    let Some(announced) = call.announced else { return Some(Verdict::Pass) };
    Some(
        Finding::new(format!("tool call `{id}` is announced twice"))
            .at(id, "announced again")
            .at(announced, "announced here")
            .help("send `tool_call_update` for changes")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
