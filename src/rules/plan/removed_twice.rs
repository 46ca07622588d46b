use crate::{model::session::plans::PlanState, rule::prelude::*, rules::plan::cites};

pub(crate) static RULE: Rule = Rule {
    id: "plan/removed-twice",
    summary: "a plan is removed twice",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::REMOVAL,
    explanation: r"
The second removal has no effect, because the client has already removed the plan. The client must
ignore it, so the user sees nothing wrong. But the agent does not know which plans are on the
screen, and often it meant to remove another plan. So this is an error of the agent.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"wet","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"wet"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"wet","content":"Wash"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"wet"}}}"#,
        ),
    ],
    on: &[On::PlanRemoved(check)],
    ..Rule::DEFAULT
};

fn check(removed: &PlanRemoved<'_>, connection: &Connection) -> Option<Verdict> {
    let id = removed.plan_id?.text()?;
    let session = connection.session(removed.session_id).filter(|it| !it.is_replaying())?;
    match session.plans.get(id)?.state {
        PlanState::Shown { .. } => Some(Verdict::Pass),
        // plan/removed-unknown
        PlanState::Removed { was_shown: false, .. } if session.is_fully_recorded() => None,
        PlanState::Removed { at, .. } => Some(
            Finding::new(format!("plan `{id}` is removed twice"))
                .at(id, "removed again, with no update in between")
                .at(at, "the first removal")
                .once_per((removed.session_id, id))
                .into(),
        ),
    }
}
