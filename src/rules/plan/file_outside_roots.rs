use crate::{
    event::PlanUpdated,
    model::Connection,
    protocol::{Surface, Surfaces},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::plan::{file_uri, naming::shortened},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/file-outside-roots",
    summary: "a file plan lies outside the session's roots",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[Citation {
        version: None,
        source: SourceText::Page("protocol/v1/session-setup#working-directory"),
        requires: "an agent works in the session's working directory and additional directories",
    }],
    explanation: r"
A plan that lies elsewhere may be out of reach for a client in a sandbox or on another machine. But
agents often keep their own files in a directory of their own, so this is off unless asked for.
",
    tck: &[],
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file:///work/../etc/tidy.md"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file:///work/docs/../tidy.md"}}}}"#,
    )],
    on: &[On::With(&["uri"], &On::Plan(check))],
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let text = file_uri::of(updated)?;
    let roots = connection.session(updated.session_id)?.roots.as_ref()?;
    let path = file_uri::path(&file_uri::absolute(&text.as_cow()).ok()?)?;
    if roots.directories.iter().any(|root| file_uri::is_within(&path, root)) {
        return Some(Verdict::Pass);
    }
    let path = shortened(&path);
    Some(
        Finding::new(format!("the plan `{path}` lies outside the session's directories"))
            .at(text, "in none of them")
            .at(roots.at, "they are set here")
            .help("keep it where the client can be expected to open it")
            .into(),
    )
}
