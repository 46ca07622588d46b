use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/v1-update-in-v2",
    summary: "the version 1 `plan` update is sent on a version 2 connection",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v2/migration#plans"),
            requires: "`plan_update` takes the place of the `plan` update",
        },
        Citation {
            version: None,
            source: SourceText::Page("rfds/v2/plan-variants"),
            requires: "the old kind of update stays refused",
        },
    ],
    explanation: r"
Version 2 withdrew the `plan` update. Its schema cannot say so: it admits unknown kinds of updates,
and since June 2026 `plan` is just one of those, with any content. Names without an underscore belong
to the protocol, though, and a client of version 2 has no meaning for this one: it shows no plan.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"pending"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[{"content":"Sweep","priority":"high","status":"pending"}]}}}}"#,
    )],
    on: &[On::Update(&["plan", "plan_update"], check)],
    ..Rule::DEFAULT
};

#[expect(clippy::unnecessary_wraps, reason = "a check")]
fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    if update.kind != "plan" {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the `plan` update of version 1 is sent on version 2")
            .at(update.kind, "clients of version 2 show nothing for it")
            .help(
                "send `\"sessionUpdate\":\"plan_update\"` with \
                 `\"plan\":{\"type\":\"items\",\"planId\":\"main\",\"entries\":[…]}`",
            )
            .explains(update.update)
            .once_per(&*update.session_id.as_cow())
            .into(),
    )
}
