use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/update-outside-turn",
    summary: "a message or tool update comes outside a turn",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::Order],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn"),
        requires: "an agent reports messages and tool calls while it works on a prompt",
    }],
    explanation: r"
This is not forbidden, and some agents work in the background. But several clients drop a message
between two turns. The rule is off by default; use it if output gets lost.
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
        Finding::new(format!("`{}` comes outside a turn", update.kind))
            .at(update.kind, "no prompt is open")
            .and_at(session.turn.began, "the last turn began here")
            .into(),
    )
}
