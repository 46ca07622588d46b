use crate::{
    rule::prelude::*,
    rules::plan::{cites, naming::shortened},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/partial-update-proven",
    summary: "a plan update leaves out entries that still exist",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::WHOLE_LIST,
    requirements: &["plan.whole-list"],
    explanation: r"
A client shows the last list as the whole plan: entries that are missing disappear. Here two lists
in a row had only changed entries. The first left out pending entries, and the second updates one of
those. So that entry was never removed: the agent sends only what has changed. The user sees a plan
with one or two steps, and all others are gone.

The two lists may stand in two turns: a plan that was made in one turn, and updated in the next ones.
A list with other steps or unchanged ones begins a new plan; so may a turn after a command such as
`/clear`, or after a compaction.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Mop","priority":"medium","status":"in_progress"},{"content":"Dust","priority":"medium","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"completed"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"completed"},{"content":"Dust","priority":"medium","status":"cancelled"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let diff = updated.diff.as_ref()?;
    if diff.is_first && diff.resumed.is_none() {
        return None;
    }
    let session = connection.session(updated.session_id)?;
    let listing = session.plans.of(updated.snapshot.key)?.listing()?;
    let Some(resumed) = diff.resumed.filter(|_| !listing.has_resumed()) else {
        return Some(Verdict::Pass);
    };
    let entry = updated.snapshot.entries().get(resumed)?;
    let text = shortened(&entry.content?.as_cow());
    Some(
        Finding::new(format!(
            "`{text}` is missing from this plan update but is updated again later"
        ))
        .at(listing.left_out(diff, resumed), format!("`{text}` is not in this list"))
        .at(listing.full(), "the last complete list")
        .at(entry.node, "updated again here")
        .help(
            "list every entry in each update, changed or not: readers show this list as the \
                 whole plan",
        )
        .into(),
    )
}
