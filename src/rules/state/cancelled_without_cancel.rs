use crate::{rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/cancelled-without-cancel",
    summary: "work is reported as cancelled, but the client did not cancel it",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("IdleStateUpdate"),
        requires: "`cancelled` means that the user or the client chose to stop",
    }],
    explanation: r"
The client assumes that the user stopped the work and shows nothing. If the agent stops for its own
reasons, use `refusal`, `error` or a limit.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let reason = update.update.get("stopReason")?.text().filter(|reason| *reason == "cancelled")?;
    if !session.activity.is_ended_by(update) || connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let withdrawn = connection.rpc.may_be_withdrawn(Side::Client);
    // The end of a session ends its subagents.
    let parent = session.parent.as_ref().and_then(|kin| connection.session_named(&kin.session_id));
    let stopped = parent.map_or(0, |parent| parent.work.stopped).max(session.work.stopped);
    let stopped = stopped.max(connection.vaguely_cancelled);
    let is_wanted = withdrawn || stopped > session.activity.ended;
    let finding = (!is_wanted).then(|| {
        Finding::new("work is reported as cancelled, but the client did not cancel it")
            .at(reason, "no cancellation before this")
            .and_at(session.work.state, "the last state")
            .help("if the agent stopped by itself, use `refusal` or `error`")
    });
    Some(finding.into())
}
