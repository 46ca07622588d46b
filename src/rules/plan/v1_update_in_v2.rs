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
            requires: "`plan_update` replaces the `plan` update",
        },
        Citation {
            version: None,
            source: SourceText::Page("rfds/v2/plan-variants"),
            requires: "the old kind of update is still refused",
        },
    ],
    explanation: r"
Version 2 removed the `plan` update. Its schema cannot say so: it admits unknown updates, and since
June 2026 `plan` is one of them. But names without an underscore belong to the protocol, and clients
of version 2 do not know this one. They show no plan.
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
        Finding::new("the version 1 `plan` update is sent on version 2")
            .at(update.kind, "clients of version 2 do not show it")
            .help(
                "send `\"sessionUpdate\":\"plan_update\"` with \
                 `\"plan\":{\"type\":\"items\",\"planId\":\"main\",\"entries\":[…]}`",
            )
            .explains(update.update)
            .once_per(&*update.session_id.as_cow())
            .into(),
    )
}
