use crate::{model::session::plans::EntryStatus, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "plan/multiple-in-progress",
    summary: "several plan entries are in progress at once",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("advice of an unofficial page on agent plans"),
        requires: "one step is in progress at a time",
    }],
    explanation: r"
Some clients show the step in progress as the current one, and expect only one. No official text
limits the number, and an agent that works in parallel has several.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"completed"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let entries = updated.snapshot.entries();
    let mut running = entries.iter().filter(|entry| *entry.status() == EntryStatus::InProgress);
    let first = running.next()?;
    let Some(second) = running.next() else { return Some(Verdict::Pass) };
    let count = 2 + running.count();
    Some(
        Finding::new(format!("{count} entries of a plan are in progress at the same time"))
            .at(second.status?, "also in progress")
            .at(first.status?, "in progress")
            .into(),
    )
}
