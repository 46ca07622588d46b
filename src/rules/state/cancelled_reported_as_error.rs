use crate::{
    rule::prelude::*,
    rules::{cancel::abort, state::states},
};

pub(crate) static RULE: Rule = Rule {
    id: "state/cancelled-reported-as-error",
    summary: "cancelled work is reported as an error",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#cancellation"),
            requires: "the agent catches failures that the cancellation causes, and reports \
                       `cancelled`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("IdleStateUpdate"),
            requires: "`cancelled` means that the user or the client chose to stop",
        },
    ],
    requirements: &["cancel.no-error", "cancel.reported-as-cancelled"],
    explanation: r"
Clients show an error to the user, who has just pressed stop. Stopping the model or a tool usually
raises an exception; catch it and report `cancelled`.
",
    tck: &["CANCEL-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"AbortError"}}}}"#,
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
    if !session.activity.is_ended_by(update) {
        return None;
    }
    if reason != "error" {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new("cancelled work ends with an error")
        .at(reason, "expected `cancelled`")
        .at(cancel.at, "the client cancels the work here")
        .help("catch the failures that the cancellation causes, and report `cancelled`");
    let is_abort = update.update.get("error").is_some_and(abort::is_named);
    let is_certain = is_abort || states::is_received(&cancel, update);
    Some(finding.as_severity_if(!is_certain, Severity::Info).into())
}
