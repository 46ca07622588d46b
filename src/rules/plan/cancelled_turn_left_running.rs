use crate::{
    rule::prelude::*,
    rules::plan::{naming, turn},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/cancelled-turn-left-running",
    summary: "cancelled work leaves a plan entry in progress",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
        requires: "a step that is given up has the status `cancelled`",
    }],
    explanation: r"
Version 2 has a status for steps that were given up. A turn that was cancelled and leaves a step in
progress keeps a spinner turning for work that nobody does. Version 1 has no word for it, so nothing
can be asked of it there.
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
        Finding::new(format!("the turn is cancelled and leaves `{text}` in progress"))
            .at(reason, "cancelled")
            .and_at(listing.mark(first), "in progress")
            .help("send the plan a last time, with the entry `cancelled`")
            .into(),
    )
}
