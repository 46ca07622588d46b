use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/chunk-before-update",
    summary: "content is streamed for an unreported tool call",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ToolCallContentChunk"),
            requires: "a chunk adds to the content of a tool call",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#streaming-content"),
            requires: "content is streamed only to a reported tool call",
        },
    ],
    explanation: r"
Readers create an entry for an id that they see for the first time. But a chunk has no title, kind
or status, so the user does not know what the entry is until an update follows.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"3"}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Count","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Count"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"3"}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["tool_call_content_chunk"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    if !session.is_fully_recorded()
        || session.is_replaying()
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    if session.tool_calls.get(id).is_some_and(|call| call.announced.is_some()) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "content is streamed for tool call `{id}` before the call is reported"
        ))
        .at(id, "no `tool_call_update` has reported it so far")
        .help("send a `tool_call_update` with its title first")
        .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
        .into(),
    )
}
