use crate::{rule::prelude::*, rules::plan::capability};

pub(crate) static RULE: Rule = Rule {
    id: "plan/legacy-update-with-capability",
    summary: "the old `plan` update is used although the client can do more",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/plan-operations#what-we-propose-to-do-about-it"),
        requires: "the `plan` update keeps working beside plan operations",
    }],
    explanation: r"
A client that advertises `plan` can show several plans, of several types, and dismiss them. The
`plan` update does none of that. Using it is legal and often deliberate, for the list of to-dos above
all, so this is for those who look for what an agent could make more of.
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
        Finding::new("a `plan` update is sent to a client that takes `plan_update`")
            .at(update.kind, "one plan without a name")
            .and_at(advertised, "the client takes plan operations")
            .help("a `plan_update` can be one of several plans and can be removed")
            .once_per("update")
            .into(),
    )
}
