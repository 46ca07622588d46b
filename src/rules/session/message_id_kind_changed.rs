use crate::{model::session::messages::MessageKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/message-id-kind-changed",
    summary: "one message id is used for messages of two kinds",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#message-ids"),
        requires: "chunks with the same id form one message",
    }],
    explanation: r"
Clients join chunks by their id. If a thought and an answer have the same id, they appear as one
message, or the second replaces the first. On version 2 each kind has its own ids, so two kinds may
have the same one.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Well"},"messageId":"m"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hmm"},"messageId":"m"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hmm"},"messageId":"n"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Well"},"messageId":"m"}}}"#,
    )],
    on: &[On::Update(&["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.message_id?;
    let own = MessageKind::of(&update.kind.as_cow())?;
    let messages = connection.session(update.session_id).map(|session| &session.messages);
    let mut others = [MessageKind::User, MessageKind::Agent, MessageKind::Thought]
        .into_iter()
        .filter(|message_kind| *message_kind != own);
    let other =
        others.find_map(|message_kind| Some((message_kind, messages?.get(message_kind, id)?)));
    Some(Verdict::from(other.map(|(message_kind, other)| {
        // An agent that reuses ids does so for many messages: one finding is enough.
        let [one, two] = if own < message_kind { [own, message_kind] } else { [message_kind, own] };
        Finding::new(format!("message id `{id}` is used for messages of two kinds"))
            .at(id, format!("in `{}`", update.kind))
            .at(other.first, "first used for another kind here")
            .once_per((&*update.session_id.as_cow(), one, two))
    })))
}
