use crate::{model::session::messages::MessageKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/message-id-resumed",
    summary: "a chunk returns to an earlier message after a later one began",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#message-ids"),
        requires: "a new id begins a new message",
    }],
    explanation: r"
For some clients, a new id ends the message before. Later chunks of the earlier message come too
late: the client drops them or starts a new message. The rule is off by default, because agents that
work on several things at once do this on purpose.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m1"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"},"messageId":"m2"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"},"messageId":"m1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m1"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"},"messageId":"m1"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"},"messageId":"m2"}}}"#,
    )],
    on: &[On::Update(&["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session =
        connection.session(update.session_id).filter(|session| !session.is_replaying())?;
    let id = update.message_id?;
    let message_kind = MessageKind::of(&update.kind.as_cow())?;
    let first = session.messages.get(message_kind, id);
    let is_resumed = first.is_some() && !session.messages.is_current(message_kind, id);
    Some(Verdict::from(first.filter(|_| is_resumed).map(|first| {
        Finding::new(format!("a chunk returns to message `{id}` after another one began"))
            .at(id, "an earlier message")
            .at(first.first, "began here")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
    })))
}
