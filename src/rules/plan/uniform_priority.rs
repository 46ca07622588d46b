use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/uniform-priority",
    summary: "every entry of a plan has high priority",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("advice of an unofficial page on agent plans"),
        requires: "high priority marks critical steps",
    }],
    explanation: r"
Priorities separate essential steps from optional ones. If all of five or more entries have high
priority, the priority tells nothing. No official text demands more.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"pending"},{"content":"Mop","priority":"high","status":"pending"},{"content":"Dust","priority":"high","status":"pending"},{"content":"Air","priority":"high","status":"pending"},{"content":"Polish","priority":"high","status":"pending"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"pending"},{"content":"Mop","priority":"high","status":"pending"},{"content":"Dust","priority":"high","status":"pending"},{"content":"Air","priority":"high","status":"pending"},{"content":"Polish","priority":"low","status":"pending"}]}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

/// Least number of entries of a plan that is checked; priorities of shorter plans may well be
/// equal.
const MANY: usize = 5;

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let entries = updated.snapshot.entries();
    if entries.len() < MANY {
        return None;
    }
    if !entries.iter().all(|entry| entry.priority.is_some_and(|priority| priority == "high")) {
        return Some(Verdict::Pass);
    }
    let first = entries.first()?.priority?;
    Some(
        Finding::new(format!("all {} entries of the plan have high priority", entries.len()))
            .at(first, "all others have it too")
            .help("use `high` only for steps on which the others depend")
            .once_per(&*updated.session_id.as_cow())
            .into(),
    )
}
