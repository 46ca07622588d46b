use crate::{
    model::session::plans::{Suspicion, SuspicionKind},
    rule::prelude::*,
    rules::plan::{
        cites,
        naming::{plan, shortened},
        turn,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/partial-update-suspected",
    summary: "a plan update seems to list only what changed",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::WHOLE_LIST,
    requirements: &["plan.whole-list"],
    explanation: r"
A client shows the last list as the whole plan. A list may be short because the agent dropped steps;
that is fine. But two patterns suggest that the agent sends only changes: a list has only entries
that just changed, and pending ones are missing; or three short lists in a row have nothing in
common. acpcheck waits until the plan begins anew or the connection ends. It does not report this if
a later update, also of the next turns, proves the fault (`plan/partial-update-proven`).
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Dust","priority":"medium","status":"in_progress"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Dust","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"completed"}]}}}}"#,
        ),
    ],
    on: &[
        On::Plan(check),
        On::Call(turn::ATTACHMENTS, |call, connection| {
            turn::verdict(turn::attached(call, connection), suspicion)
        }),
        On::End(|_, connection| turn::verdict(turn::left_open(connection), suspicion)),
    ],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let diff = updated.diff.as_ref()?;
    turn::settled(updated, connection, suspicion)
        .or_else(|| (diff.is_list && !diff.is_first).then_some(Verdict::Pass))
}

fn suspicion(suspicion: &Suspicion) -> Option<Finding> {
    let named = plan(suspicion.id.as_deref());
    match suspicion.kind {
        SuspicionKind::OnlyChanges => {
            let message = match (&suspicion.example, suspicion.lost) {
                (Some((text, _)), 1) => format!(
                    "an update of {named} lists only steps that have changed; `{}`, still pending, \
                     is missing",
                    shortened(text)
                ),
                (_, lost) => format!(
                    "an update of {named} lists only steps that have changed; {lost} pending ones \
                     are missing"
                ),
            };
            let finding = Finding::new(message)
                .at(suspicion.at, "every step here has changed")
                .at(suspicion.before, "the list before");
            let finding = match &suspicion.example {
                Some((text, mark)) => finding
                    .at(mark.clone(), format!("`{}` was still pending here", shortened(text))),
                None => finding,
            };
            Some(finding.help(
                "if the missing steps still exist, list them too: readers show this list as the \
                 whole plan",
            ))
        }
        SuspicionKind::Strangers => Some(
            Finding::new(format!("three lists of {named} in a row share no step"))
                .at(suspicion.at, "the third list")
                .at(suspicion.before, "still unfinished in the second")
                .help(
                    "if the steps of earlier lists still exist, list them too: readers show only \
                     the last list",
                ),
        ),
        SuspicionKind::Dropped => None,
    }
}
