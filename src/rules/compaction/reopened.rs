use crate::{
    model::session::{compactions::Compaction, tool_calls::ToolCallStatus},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "compaction/reopened",
    summary: "a finished compaction gets a new status",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("RFD session-compaction, identity and lifecycle"),
            requires: "a compaction ends once",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Other(
                "protocol/v2/draft/prompt-lifecycle of September 2026, section on compaction",
            ),
            requires: "a compaction has one final status, and no later compaction uses its id",
        },
    ],
    explanation: r"
Clients fold a finished compaction away. If it starts again under the same id, they show it in the
old place, where the user no longer looks, or not at all.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k2","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k2","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed","summary":[{"type":"text","text":"kept"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Update(&["compaction_update"], check)],
    variants: &[(Severity::Warning, "with `--edition 2026-11` or later")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("compactionId")?.text()?;
    let status = update.status?.text()?;
    if session.is_replaying() {
        return None;
    }
    let known = session.compactions.get(id).filter(|compaction| !compaction.is_past);
    let Some((before, at)) = known.and_then(Compaction::end) else {
        return Some(Verdict::Pass);
    };
    let now = ToolCallStatus::of(status);
    let changes = match connection.version()? {
        Version::V1 => now == ToolCallStatus::InProgress,
        Version::V2 => now != before && now != ToolCallStatus::Custom,
    };
    if !changes {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("compaction `{id}` has ended but gets a new status"))
        .at(status, format!("the status is now `{}`", now.name()))
        .at(at, format!("the status is `{}` since here", before.name()))
        .help("give each compaction its own id")
        .once_per((&*update.session_id.as_cow(), &*id.as_cow()));
    // The schema of November 2026 no longer requires it.
    let is_silent = connection.version() == Some(Version::V2)
        && connection.pinned_edition() >= Some(Edition::November2026);
    Some(finding.as_severity_if(is_silent, Severity::Warning).into())
}
