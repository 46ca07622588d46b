use crate::{model::session::plans::PlanState, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "plan/update-after-removal",
    summary: "the id of a removed plan is used again",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/plan-operations#plan-removal"),
        requires: "a removed plan is not shown any more; the text does not say whether its id may \
                   be used again",
    }],
    explanation: r"
The sources do not say whether the id of a removed plan may be used again. Clients that simply keep
plans by id show the plan again, as a new one. A client that remembers removals would not show it. A
new id is safe with both.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy up"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy-2","content":"Tidy up"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"wet","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(check), On::PlanRemoved(removed)],
    ..Rule::DEFAULT
};

/// Passes for each removed plan, so that the rule counts as exercised.
fn removed(_: &PlanRemoved<'_>, _: &Connection) -> Option<Verdict> {
    Some(Verdict::Pass)
}

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let id = updated.snapshot.key.id()?;
    let session = connection.session(updated.session_id).filter(|it| !it.is_replaying())?;
    let Some(PlanState::Removed { at, was_shown }) = session.plans.get(id).map(|plan| &plan.state)
    else {
        return None;
    };
    if !was_shown {
        return None; // plan/removed-unknown, if anything
    }
    Some(
        Finding::new(format!("the id of the removed plan `{id}` is used again"))
            .at(id, "shown again")
            .at(*at, "removed here")
            .help(
                "use an id that no other plan had: some clients may not show a removed plan again",
            )
            .once_per((updated.session_id, &*id.as_cow()))
            .into(),
    )
}
