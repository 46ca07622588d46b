use crate::{
    rule::prelude::*,
    rules::plan::{naming, turn},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/cancelled-turn-left-running",
    summary: "a cancelled turn leaves a plan entry in progress",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
        requires: "an abandoned step has the status `cancelled`",
    }],
    explanation: r"
Version 2 has the status `cancelled` for abandoned steps. If a cancelled turn leaves a step
`in_progress`, clients keep showing a spinner, although the work has stopped. Version 1 has no such
status, so the rule does not apply there.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"cancelled"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::idle(update, connection)?;
    if reason != "cancelled" {
        return None;
    }
    let Some((listing, first)) = turn::running(session)?.next() else {
        return Some(Verdict::Pass);
    };
    let text = naming::entry(listing, &listing.items()[first]);
    Some(
        Finding::new(format!("the turn is cancelled, but `{text}` stays in progress"))
            .at(reason, "cancelled")
            .and_at(listing.mark(first), "still in progress")
            .help("send the plan once more, with this entry as `cancelled`")
            .into(),
    )
}
