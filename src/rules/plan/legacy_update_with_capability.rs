use crate::{rule::prelude::*, rules::plan::capability};

pub(crate) static RULE: Rule = Rule {
    id: "plan/legacy-update-with-capability",
    summary: "the old `plan` update is sent, although the client supports more",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/plan-operations#what-we-propose-to-do-about-it"),
        requires: "the `plan` update still works beside plan operations",
    }],
    explanation: r"
A client that advertises `plan` can show several plans of several types, and remove them. The `plan`
update does none of that. It is legal and often deliberate, above all for a to-do list. The rule is
for those who want to see what else an agent could use.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"# Tidy up"}}}}"##,
    )],
    on: &[On::Update(&["plan", "plan_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    if !capability::takes_operations(connection)? {
        return None;
    }
    if update.kind != "plan" {
        return Some(Verdict::Pass);
    }
    let capabilities = connection.client_capabilities()?;
    let advertised = capability::NAMES.into_iter().find_map(|name| capabilities.get(name));
    Some(
        Finding::new("a `plan` update is sent to a client that supports `plan_update`")
            .at(update.kind, "the only plan without an id")
            .and_at(advertised, "the client supports plan operations")
            .help("use `plan_update` to send several plans and to remove them")
            .once_per("update")
            .into(),
    )
}
