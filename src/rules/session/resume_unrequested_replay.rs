use crate::{model::session::attachment::is_history, rule::prelude::*, rules::session::attached};

pub(crate) static RULE: Rule = Rule {
    id: "session/resume-unrequested-replay",
    summary: "the agent replays history that the client did not ask for",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#resuming-a-session"),
            requires: "resuming restores the session without its history",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
            requires: "the agent replays history only if `replayFrom` asks for it",
        },
    ],
    requirements: &["session.no-replay"],
    explanation: r"
A client that does not ask for history still has the conversation on its screen. So it shows the
replayed messages a second time. Commands, options, usage, the plan and the state are not history;
the agent may send them.
",
    tck: &["RESUME-203"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Earlier question"}}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u0","content":[{"type":"text","text":"Earlier question"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Live"}]}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
    ],
    on: &[On::Update(&[], check), On::Answer(&["session/resume"], resumed)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let attachment = session.attachment.as_ref()?;
    let is_unasked = session.is_replaying() && !session.wants_history;
    if !is_unasked || attachment.is_live_in_part() {
        return None;
    }
    let kind = update.kind.as_cow();
    let is_history = is_history(&kind)
        && (kind != "tool_call_update" || connection.version() == Some(Version::V2));
    if !is_history {
        return None;
    }
    Some(
        Finding::new("history is replayed, but the client did not ask for it")
            .at(update.kind, "the client may show it twice")
            .at(attachment.request, "does not ask for history")
            .once_per(attachment.number)
            .into(),
    )
}

fn resumed(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    (!attached::session(answer, connection)?.wants_history).then_some(Verdict::Pass)
}
