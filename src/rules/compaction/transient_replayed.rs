use crate::{
    model::session::{activity::AgentState, tool_calls::ToolCallStatus},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "compaction/transient-replayed",
    summary: "a replay repeats the steps of a compaction instead of its result",
    level: By::both(Level::ShouldNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::September2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Other(
            "protocol/v2/draft/session-setup of September 2026, resuming sessions",
        ),
        requires: "a replay sends only the result of a compaction: one update with the whole summary",
    }],
    explanation: r"
A replay rebuilds the history; it does not repeat every step. Clients that animate a compaction
would do so for each one in a long session, and the summary comes in pieces. One `compaction_update`
with the final status and the summary is enough.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Water the plants"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_summary_chunk","compactionId":"k1","content":{"type":"text","text":"kept"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u2","content":[{"type":"text","text":"Water the plants"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed","summary":[{"type":"text","text":"kept"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
    )],
    on: &[On::Update(&["compaction_summary_chunk", "compaction_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("compactionId")?.text()?;
    let replay = session.replay.filter(|_| session.wants_history)?;
    if session.activity.state != AgentState::Unset {
        return None; // After the snapshot of the state nothing is history.
    }
    let is_chunk = update.kind == "compaction_summary_chunk";
    let known = session.compactions.get(id).filter(|compaction| !compaction.is_past);
    let was_running =
        known.is_some_and(|known| matches!(known.status, Some((ToolCallStatus::InProgress, _))));
    let ends = update
        .status
        .and_then(Node::text)
        .is_some_and(|status| ToolCallStatus::of(status).is_final());
    let is_course = is_chunk || (was_running && ends);
    if !is_course {
        return ends.then_some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("the replay repeats the steps of compaction `{id}`"))
            .at(
                update.update,
                if is_chunk {
                    "a chunk of the summary"
                } else {
                    "the end, after it was replayed as running"
                },
            )
            .at(replay, "the request for the replay")
            .help("replay one `compaction_update` with the final status and the whole summary")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
