use crate::{
    rule::prelude::*,
    rules::plan::{
        reserved,
        values::{self, PRIORITY},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/reserved-priority",
    summary: "a custom plan priority lacks the leading underscore",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
        requires: "priorities of one's own begin with an underscore; all others belong to the protocol",
    }],
    explanation: r"
The set of priorities is open on version 2. An agent may add its own, told by an underscore, and the
protocol may add others in later revisions, without one. A client that meets a plain unknown value
cannot know how it will rank one day.
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
    values::judged(updated, connection, &[PRIORITY], |value, member| {
        values::is_reserved(value, member.defined)
            .then(|| reserved::finding(value, member.name, member.defined, connection))
    })
}
