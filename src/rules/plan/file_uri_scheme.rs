use crate::{rule::prelude::*, rules::plan::file_uri};

pub(crate) static RULE: Rule = Rule {
    id: "plan/file-uri-scheme",
    summary: "the URI of a file plan is not a file URI",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::until(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/plan-operations#what-we-propose-to-do-about-it"),
        requires: "a plan of the type `file` has the URI of a file",
    }],
    explanation: r"
A client opens a file plan in its editor. It may not support another scheme, and then the user
cannot open the plan. Editors with virtual file systems are an exception, so this is not an error.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"https://example.com/tidy.md"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"File:///work/tidy.md"}}}}"#,
    )
    .in_edition(Edition::November2026)],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let text = file_uri::of(updated)?;
    let decoded = text.as_cow();
    let uri = file_uri::absolute(&decoded).ok()?;
    if file_uri::is_file(&uri) {
        return Some(Verdict::Pass);
    }
    let scheme = uri.scheme();
    Some(
        Finding::new(format!("a file plan has a URI with the scheme `{scheme}`"))
            .at(text, "not a file URI")
            .help("write `file:///…`, or send the text as a `markdown` plan")
            .into(),
    )
}
