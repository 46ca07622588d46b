use crate::{
    rule::prelude::*,
    rules::plan::{reserved, values::PRIORITY},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/reserved-priority",
    summary: "a custom plan priority does not start with an underscore",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
        requires: "custom priorities start with an underscore; all other names are reserved for \
                   the protocol",
    }],
    requirements: &["ext.underscore-values"],
    explanation: r"
On version 2, agents may add custom priorities, which start with an underscore. The protocol may add
others later, without an underscore. So a client cannot know how an unknown plain value ranks.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"urgent","status":"pending"}]}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"_urgent","status":"pending"}]}}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    reserved::check(updated, connection, PRIORITY)
}
