use crate::{model::session::messages::MessageKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-chunk-without-primer",
    summary: "a message is replayed in chunks without a whole message first",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::September2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
        requires: "a replay in chunks begins each message with a whole, empty message",
    }],
    explanation: r"
Clients append chunks to the message that they have. If a client still has the message from before,
it appends the replay and shows the text twice. A whole, empty message first makes it start again.
",
    tck: &["RESUME-205"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m0","content":{"type":"text","text":"Earlier"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m0","content":[]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m0","content":{"type":"text","text":"Earlier"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[On::Update(&["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let attachment = session.attachment.as_ref()?;
    if !session.is_replaying() || !session.wants_history || attachment.is_live_in_part() {
        return None;
    }
    let id = update.message_id?;
    let name = id.as_cow();
    if attachment.has_whole(MessageKind::of(&update.kind.as_cow())?, &name) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("message `{id}` is replayed in chunks without a whole message first"))
            .at(id, "may be appended to the text that the client has")
            .at(attachment.request, "the client asks for the replay here")
            .help("send the whole message with empty content first, then the chunks")
            .once_per((attachment.number, &*update.kind.as_cow(), &*name))
            .into(),
    )
}
