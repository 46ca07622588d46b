use crate::{
    rule::prelude::*,
    rules::plan::{
        reserved,
        values::{self, STATUS},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/reserved-status",
    summary: "a custom plan status lacks the leading underscore",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
        requires: "statuses of one's own begin with an underscore; all others belong to the protocol",
    }],
    explanation: r"
The set of statuses is open on version 2. An agent may add its own, told by an underscore, and the
protocol may add others in later revisions, without one. A client that meets a plain unknown value
cannot know what it will mean one day, so it shows the entry without a status or takes it for
something else.
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
    values::judged(updated, connection, &[STATUS], |value, member| {
        values::is_reserved(value, member.defined)
            .then(|| reserved::finding(value, member.name, member.defined, connection))
    })
}
