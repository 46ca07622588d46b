use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/update-outside-turn",
    summary: "a message or tool update arrives outside any turn",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn"),
        requires: "an agent reports messages and tool calls while it works on a prompt",
    }],
    explanation: r"
Nothing forbids it, and some agents go on in the background. But several clients have no place for a
message between two turns and drop it. Off by default; worth a look where output seems to get lost.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"By the way"}}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
    )],
    on: &[On::Update(
        &[
            "user_message_chunk",
            "agent_message_chunk",
            "agent_thought_chunk",
            "tool_call",
            "tool_call_update",
        ],
        check,
    )],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    if session.is_replaying() || !connection.head_is_complete() || session.parent.is_some() {
        return None;
    }
    if session.open_prompts > 0 {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("`{}` arrives outside any turn", update.kind))
            .at(update.kind, "no prompt is under way")
            .and_at(session.turn.began, "the last turn began here")
            .into(),
    )
}
