use crate::{
    model::session::plans::is_kept,
    rule::prelude::*,
    rules::plan::{cites, naming, turn},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/status-regression",
    summary: "a finished plan entry becomes unfinished again",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::DYNAMIC,
    explanation: r"
An agent may change entries, so it may reopen a step. But more often it built the list from an old
state. Then a step that the user saw as done becomes unfinished again.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"cancelled"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"cancelled"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let (listing, steps) = turn::steps(updated, connection)?;
    let version = connection.version();
    Some(
        steps
            // Readers have dropped this entry.
            .filter(|(old, entry)| {
                is_kept((&old.priority, &old.status), version)
                    && is_kept((entry.priority(), entry.status()), version)
            })
            .filter(|(old, entry)| {
                old.status.is_finished() == Some(true)
                    && entry.status().is_finished() == Some(false)
            })
            .filter_map(|(old, entry)| {
                let text = listing.text(old);
                let (was, is) = (old.status.name(), entry.status?);
                let message =
                    format!("`{}` goes back from {was} to {is}", naming::entry(listing, old));
                let finding = Finding::new(message).at(is, "unfinished again");
                let key = (updated.session_id, text);
                Some(finding.at(old.span, format!("{was} here")).once_per(key))
            })
            .collect(),
    )
}
