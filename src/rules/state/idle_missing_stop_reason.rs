use crate::{rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/idle-missing-stop-reason",
    summary: "work ends without a stop reason",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("IdleStateUpdate"),
            requires: "the idle state that ends work gives the reason",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#4-report-completion"),
            requires: "the end of work is reported with a stop reason",
        },
    ],
    requirements: &["state.stop-reason"],
    explanation: r"
Without a reason, clients cannot tell whether the work was finished, cut off, refused or cancelled.
Most show nothing.
",
    tck: &["STATE-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Error, "where the work was cancelled")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    if !session.activity.is_ended_by(update) {
        return None;
    }
    if update.update.get("stopReason").is_some_and(|reason| !reason.is_null()) {
        return Some(Verdict::Pass);
    }
    let cancel =
        session.work.stops.cancelled_work.filter(|cancel| states::is_received(cancel, update));
    let finding = Finding::new("work ends without a stop reason")
        .at(Mark::missing_in(update.update), "`stopReason` is missing here")
        .and_at(session.work.state, "the last state")
        .and_at(cancel.map(|cancel| cancel.at), "the client cancels here")
        .help(match cancel {
            Some(_) => "report `cancelled` if the client has cancelled the work",
            None => "give the stop reason, such as `end_turn`",
        });
    Some(cancel.map_or(finding.clone(), |_| finding.as_severity(Severity::Error)).into())
}
