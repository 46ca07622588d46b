use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "notice/empty-title",
    summary: "a notice has no title",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Notice"),
        requires: "the title has at least one character",
    }],
    requirements: &["notice.title"],
    explanation: r"
Clients show the title of a notice; they may fold the description away. Without a title they show an
empty box, and strict readers drop the update.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":""}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"warning","title":"Low water"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["notice"], check)],
    variants: &[(Severity::Info, "where the title has only spaces")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let title = update.update.get("title")?.text()?;
    let text = title.as_cow();
    if !text.trim().is_empty() {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new("a notice has no title")
        .at(title, "the title is empty")
        .explains(title.node());
    Some(finding.as_severity_if(!text.is_empty(), Severity::Info).into())
}
