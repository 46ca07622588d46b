use crate::{model::session::compactions::Compaction, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "compaction/chunk-outside-progress",
    summary: "a summary chunk arrives when its compaction is not in progress",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::each(Gates::HEAD, Gates::NONE),
    editions: By::each(Editions::ALL, Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/draft/prompt-turn#session-compaction"),
            requires: "the agent streams the summary while the compaction is in progress",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CompactionSummaryChunk"),
            requires: "a chunk adds to the summary of a compaction",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Other(
                "protocol/v2/draft/prompt-lifecycle of September 2026, section on compaction",
            ),
            requires: "no chunk follows the final status",
        },
    ],
    requirements: &["compaction.chunks-within"],
    explanation: r"
After the final status, clients fold the summary away, and some store it. A later chunk is lost, or
opens the compaction again. On version 1, a chunk before the first update is only an info: readers
create an entry for it.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_summary_chunk","compactionId":"k1","content":{"type":"text","text":"kept"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_summary_chunk","compactionId":"k1","content":{"type":"text","text":"kept"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed","summary":[{"type":"text","text":"kept"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_summary_chunk","compactionId":"k1","content":{"type":"text","text":"kept"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_summary_chunk","compactionId":"k1","content":{"type":"text","text":"kept"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Update(&["compaction_summary_chunk"], check)],
    variants: &[
        (Severity::Info, "on version 1 before the compaction is known"),
        (Severity::Warning, "on version 2 before the compaction is known"),
    ],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("compactionId")?.text()?;
    if session.is_replaying() {
        return None;
    }
    let known = session.compactions.get(id).filter(|compaction| !compaction.is_past);
    let key = (&*update.session_id.as_cow(), &*id.as_cow());
    if let Some((status, at)) = known.and_then(Compaction::end) {
        return Some(
            Finding::new(format!("a summary chunk comes after the end of compaction `{id}`"))
                .at(update.update, "a chunk of the summary")
                .at(at, format!("the status is `{}` since here", status.name()))
                .help("send the whole summary before or with the final status")
                .once_per(key)
                .into(),
        );
    }
    if known.is_some_and(|known| known.status.is_some()) {
        return Some(Verdict::Pass);
    }
    // A chunk before its compaction: readers create the compaction, but the edition of September
    // 2026 forbids it.
    let severity = match connection.version()? {
        Version::V1 => Severity::Info,
        Version::V2 if connection.edition() < Edition::November2026 => Severity::Warning,
        Version::V2 => return Some(Verdict::Pass),
    };
    // An unadvertised compaction is reported as such.
    let is_unadvertised = connection.version() == Some(Version::V1)
        && connection
            .client_capabilities()
            .is_some_and(|client| client.lacks("session.compaction"));
    if !session.is_fully_recorded() || connection.lost_to(Some(Side::Agent)) > 0 || is_unadvertised
    {
        return None;
    }
    Some(
        Finding::new(format!("a summary chunk comes before the start of compaction `{id}`"))
            .at(update.update, "a chunk of the summary")
            .help("first send a `compaction_update` with the status `in_progress`")
            .as_severity(severity)
            .once_per(key)
            .into(),
    )
}
