use crate::{rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/cancel-not-confirmed",
    summary: "cancelled work ends with another stop reason than `cancelled`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#cancellation"),
            requires: "work that the client cancels ends with the stop reason `cancelled`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("IdleStateUpdate"),
            requires: "`cancelled` means that the user or the client chose to stop",
        },
    ],
    requirements: &["cancel.idle-before-new-work", "cancel.stop-reason"],
    explanation: r"
The client waits for `cancelled` to tell the user that the work has stopped. Another reason means
that the agent did not notice the cancellation. If the idle state may have crossed the cancellation,
it is only an info.
",
    tck: &["CANCEL-201", "CANCEL-203", "CANCEL-206", "CANCEL-207"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Info, "where the agent may not have received the cancellation")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let cancel = session.work.stops.cancelled_work?;
    let reason = update.update.get("stopReason")?.text()?;
    if !session.activity.is_ended_by(update) || reason == "error" {
        return None;
    }
    if reason == "cancelled" {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("cancelled work ends with `{reason}`"))
        .at(update.update, "expected the stop reason `cancelled`")
        .at(cancel.at, "the client cancels the work here")
        .and_at(cancel.after, "the agent continues here")
        .help("report `cancelled` when the work is cancelled");
    let is_received = states::is_received(&cancel, update);
    Some(finding.as_severity_if(!is_received, Severity::Info).into())
}
