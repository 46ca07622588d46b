use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/id-on-legacy-update",
    summary: "a `plan` update has an id",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "implementations add custom members only under `_meta`",
        },
        Citation {
            version: None,
            source: SourceText::Page("rfds/plan-operations#status-quo"),
            requires: "the plan of a `plan` update has no id; each update replaces it",
        },
    ],
    explanation: r"
A session has one plan without an id, and every `plan` update replaces it. Clients ignore an id on
this update, so two plans sent this way overwrite each other. To send several plans, use
`plan_update`, if the client advertises `plan`.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","planId":"tidy","entries":[]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[],"_meta":{"planId":"tidy"}}}}"#,
    )],
    on: &[On::Update(&["plan"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let mut names = ["planId", "id"].into_iter().filter_map(|name| update.update.name_of(name));
    let Some(name) = names.next() else { return Some(Verdict::Pass) };
    let member = name.text()?;
    let finding =
        Finding::new(format!("a `plan` update has the member `{member}`, but its plan has no id"))
            .at(name, "readers ignore it")
            .at(update.kind, "replaces the only plan without an id")
            .help(
                "use `plan_update` if the client advertises `plan`; otherwise put the id under \
                 `_meta`",
            )
            .explains(name)
            .once_per(name);
    Some(names.fold(finding, Finding::explains).into())
}
