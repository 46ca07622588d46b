use crate::{
    rule::prelude::*,
    rules::plan::{reserved, values::STATUS},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/reserved-status",
    summary: "a custom plan status does not start with an underscore",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
        requires: "custom statuses start with an underscore; all other names are reserved for the \
                   protocol",
    }],
    requirements: &["ext.underscore-values"],
    explanation: r"
On version 2, agents may add custom statuses, which start with an underscore. The protocol may add
others later, without an underscore. So a client cannot know what an unknown plain value means: it
shows the entry without a status, or with a wrong one.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"high","status":"blocked"}]}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"high","status":"_blocked"}]}}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    reserved::check(updated, connection, STATUS)
}
