use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "message/empty-id",
    summary: "a message id is empty",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#message-ids"),
        requires: "every message has an id that is not empty",
    }],
    requirements: &["session.message-ids"],
    explanation: r"
Updates with the same id belong to one message. Readers that accept the empty id show all such
messages as one; others drop them.
",
    tck: &["PROMPT-201", "PATCH-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"","content":{"type":"text","text":"ok"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"ok"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[
        On::Update(
            &[
                "user_message",
                "user_message_chunk",
                "agent_message",
                "agent_message_chunk",
                "agent_thought",
                "agent_thought_chunk",
                "session_message",
                "session_message_chunk",
            ],
            |update, _| check(update.update.get("messageId")?),
        ),
        On::Answer(&["session/prompt"], |answer, _| check(answer.result()?.get("messageId")?)),
    ],
    ..Rule::DEFAULT
};

fn check(id: Node<'_>) -> Option<Verdict> {
    if !id.text()?.is_empty() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("a message id is empty")
            .at(id, "expected at least one character")
            .explains(id)
            .once_per(())
            .into(),
    )
}
