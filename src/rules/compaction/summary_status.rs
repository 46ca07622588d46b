use crate::{model::session::tool_calls::ToolCallStatus, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "compaction/summary-status",
    summary: "the status of a compaction does not allow its summary or error",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("RFD session-compaction"),
            requires: "a summary belongs to a completed compaction, an error to a failed one",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Other(
                "protocol/v2/draft/prompt-lifecycle of September 2026, section on compaction",
            ),
            requires: "a summary comes only with `completed`, an error only with `failed`",
        },
    ],
    explanation: r"
A summary says what the model still knows. With the status `failed` there was no compaction, so
there is no summary. Clients show either the summary or the error, so a part of the message is lost.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"failed","summary":[{"type":"text","text":"kept"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"completed","summary":[{"type":"text","text":"kept"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"failed","summary":[{"type":"text","text":"kept"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"compaction_update","compactionId":"k1","status":"failed","error":"Too long"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Update(&["compaction_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let node = update.status?.text()?;
    let status = ToolCallStatus::of(node);
    if status == ToolCallStatus::Custom {
        return None;
    }
    let summary =
        update.update.get("summary").filter(|summary| summary.is_array() && !summary.is_empty());
    let error = update.update.get("error").filter(|error| error.is_string());
    let members = [
        ("a summary", "completed", summary.filter(|_| status != ToolCallStatus::Completed)),
        ("an error", "failed", error.filter(|_| status != ToolCallStatus::Failed)),
    ];
    let wrong = members.into_iter().filter_map(|(what, only, member)| {
        Some(
            Finding::new(format!(
                "a compaction has the status `{}` but also {what}",
                status.name()
            ))
            .at(member?, format!("allowed only with `{only}`"))
            .at(node, format!("the status is `{}`", status.name())),
        )
    });
    Some(wrong.collect())
}
