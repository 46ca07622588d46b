use crate::{
    model::Session,
    rule::prelude::*,
    rules::plan::{cites, naming, turn},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/in-progress-at-turn-end",
    summary: "a turn ends while a plan entry is in progress",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::PROGRESS,
    requirements: &["plan.report-progress"],
    explanation: r"
The turn is over, but the plan still says that the step is in progress. Clients keep showing a
spinner. Send the plan once more before the turn ends, with the step as `completed` or `pending`.
The rule skips turns that were cancelled or cut off.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"cancelled"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Answer(&["session/prompt"], answered), On::Update(&["state_update"], reported)],
    ..Rule::DEFAULT
};

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::stopped(answer, connection)?;
    if answer.request.may_be_cancelled {
        return None;
    }
    judged(session, reason)
}

fn reported(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::idle(update, connection)?;
    judged(session, reason)
}

fn judged(session: &Session, reason: Text<'_>) -> Option<Verdict> {
    // After a cancellation entries keep their status, whatever the stop reason is.
    if reason != "end_turn" || session.cancelled.is_some() {
        return None;
    }
    let mut running = turn::running(session)?.peekable();
    let Some((listing, first)) = running.peek().copied() else {
        // A plan that was sent once tells no progress.
        let is_updated = turn::session_lists(session).any(|listing| listing.is_continued);
        return is_updated.then_some(Verdict::Pass);
    };
    let text = naming::entry(listing, &listing.items()[first]);
    let mut finding = Finding::new(format!("the turn ends while `{text}` is still in progress"))
        .at(reason, "the turn ends here");
    for (listing, position) in running.take(3) {
        finding = finding.and_at(listing.mark(position), "still in progress");
    }
    Some(
        finding
            .help("send the plan once more before the turn ends, with the final statuses")
            .into(),
    )
}
