use crate::{model::session::tool_calls::ToolCallStatus, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "compaction/unfinished",
    summary: "a compaction never ends",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::TAIL),
    editions: By::each(Editions::ALL, Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("RFD session-compaction, identity and lifecycle"),
            requires: "a compaction ends with a final status",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CompactionStatus"),
            requires: "in the end a compaction is completed, failed or cancelled",
        },
    ],
    explanation: r"
Clients show a compaction in progress as a wait. If it never ends, the user waits forever.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        )
        .closed(),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        )
        .closed(),
    ],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let compactions = connection.sessions().flat_map(|(_, session)| session.compactions.iter());
    Verdict::all(compactions.map(|(id, known)| {
        let is_open =
            matches!(known.status, Some((ToolCallStatus::InProgress, _))) && !known.has_ended;
        let finding = || {
            Finding::new(format!("compaction `{id}` never ends"))
                .at(known.last, "the last report")
                .help("report the end with a final status")
        };
        is_open.then(finding).into()
    }))
}
