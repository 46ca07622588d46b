use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/empty-instead-of-removed",
    summary: "a plan is emptied, although it could be removed",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/agent-plan#removing-plans"),
            requires: "a removal names a plan that the client shows",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/agent-plan#removing-plans"),
            requires: "a removal names a plan that the client shows",
        },
    ],
    explanation: r"
A plan with an id and no entries is still a plan: clients may keep showing an empty box.
`plan_removed` removes it. The plan without an id can only be emptied, so it is never reported.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let id = updated.snapshot.key.id()?;
    let list = updated.snapshot.list()?;
    let can_remove = match connection.version()? {
        Version::V1 => connection
            .client_capabilities()
            .is_some_and(|client| client.has(connection.edition().plan_capability())),
        // A draft until 20 November 2026.
        Version::V2 => {
            connection.expects_drafts() || connection.edition() >= Edition::LateNovember2026
        }
    };
    if !can_remove {
        return None;
    }
    if !list.is_array() || !list.is_empty() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("plan `{id}` is emptied, not removed"))
            .at(list, "no entries")
            .help("send `plan_removed` to remove the plan")
            .into(),
    )
}
