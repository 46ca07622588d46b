use crate::{rule::prelude::*, rules::plan::identity};

pub(crate) static RULE: Rule = Rule {
    id: "plan/mixed-id-spelling",
    summary: "a connection uses both names of the plan id",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other(
            "commit 3a7751e2 of agentclientprotocol/agent-client-protocol, 1 July 2026",
        ),
        requires: "`id` was renamed to `planId`, in updates and removals alike",
    }],
    explanation: r"
No edition has both names, so no client reads all of these messages: a client that reads `planId`
drops those with `id`, and the reverse. Often the agent renamed the member in updates but not in
removals. Then a plan stays on the screen for good.

The rule applies only without `--edition`. With `--edition`, `plan/legacy-id-field` reports the name
that the edition does not have.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"# Tidy up"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","id":"tidy"}}}"##,
            r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"# Tidy up"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"##,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","id":"test","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"test","entries":[]}}}}"#,
        ),
    ],
    on: &[On::Update(identity::OPERATIONS, check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    if connection.pinned_edition().is_some() {
        return None;
    }
    let holder = identity::holder(update)?;
    let has = |name| holder.get(name).is_some_and(Node::is_string);
    let (name, other, before) = match (has("planId"), has("id")) {
        // The first change was reported, and this is the current name.
        (true, false) if connection.plans.current.is_some() => return Some(Verdict::Pass),
        (true, false) => ("planId", "id", connection.plans.legacy),
        (false, true) => ("id", "planId", connection.plans.current),
        _ => return None,
    };
    let Some(before) = before else {
        let is_first = connection.plans.current.is_none() && connection.plans.legacy.is_none();
        return (!is_first).then_some(Verdict::Pass);
    };
    let written = holder.name_of(name)?;
    let finding = Finding::new(format!("the plan id is `{name}` here, but was `{other}` before"))
        .at(written, format!("`{name}` here"))
        .at(before, format!("`{other}` here"))
        .help("write `planId` everywhere: it is the name since 1 July 2026")
        .once_per("spelling");
    let finding = if name == "id" {
        finding.explains(written).explains_missing(holder, "planId")
    } else {
        finding
    };
    Some(finding.into())
}
