use crate::{rule::prelude::*, rules::plan::turn};

pub(crate) static RULE: Rule = Rule {
    id: "plan/removed-anonymous",
    summary: "`plan_removed` is sent for a plan that has no id",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("rfds/plan-operations#status-quo"),
        requires: "the plan of a `plan` update has no id and cannot be removed",
    }],
    explanation: r"
`plan_removed` names a plan by its id, but the plan of a `plan` update has no id. So the client
removes nothing. To clear that plan, send `plan` with no entries. To remove plans, send them with
`plan_update`.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
    )],
    on: &[On::PlanRemoved(check)],
    ..Rule::DEFAULT
};

fn check(removed: &PlanRemoved<'_>, connection: &Connection) -> Option<Verdict> {
    let id = removed.plan_id?.text()?;
    let session = connection.session(removed.session_id)?;
    let unnamed = session.plans.unnamed()?;
    if !turn::has_only_unnamed(session, connection) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("`{id}` is removed, but the session has only the plan without an id"))
            .at(id, "no plan has this id")
            .at(unnamed.at(), "the only plan")
            .help("send `plan` with no entries to clear it, or send plans with `plan_update`")
            .into(),
    )
}
