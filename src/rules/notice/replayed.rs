use crate::{model::session::activity::AgentState, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "notice/replayed",
    summary: "the agent replays a notice as history",
    level: By::both(Level::ShouldNot),
    severity: By::each(Severity::Info, Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/draft/session-setup#loading-a-session"),
            requires: "notices are not part of the replayed history",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Notice"),
            requires: "a notice is about the present moment, not part of the history",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#session-notices"),
            requires: "notices are not replayed",
        },
    ],
    requirements: &["session.notice-not-replayed"],
    explanation: r"
A notice is about the present moment. If it is replayed, yesterday's warning looks like today's: the
user looks for a problem that is long solved. On version 1, everything between the request
`session/load` and its answer counts as replay. On version 2, only a notice that was shown before
counts, because a new one may come up while a session is resumed.
",
    tck: &["RESUME-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Water the plants"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Water the plants"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"Water is back"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}"#,
        ),
    ],
    on: &[On::Update(&["notice"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let Some(replay) = session.replay.filter(|_| session.wants_history) else {
        return Some(Verdict::Pass);
    };
    let seen = session.notices.like(update);
    let is_history = match connection.version()? {
        Version::V1 => true,
        Version::V2 => session.activity.state == AgentState::Unset && seen.is_some(),
    };
    if !is_history {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the agent replays a notice as history")
            .at(update.update, "sent during a replay")
            .at(replay, "the request for the replay")
            .and_at(seen, "shown here before")
            .help("leave notices out of the replay")
            .once_per((replay.span().start, "notice"))
            .into(),
    )
}
