use crate::{
    rule::prelude::*,
    rules::{
        paths,
        plan::{markdown_path_not_absolute, naming::shortened, uris},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/file-outside-roots",
    summary: "the file of a plan is outside the session's directories",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#working-directory"),
            requires: "an agent works in the session's working directory and additional \
                       directories",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#working-directory"),
            requires: "an agent works in the session's working directory and additional \
                       directories",
        },
    ],
    explanation: r"
A Markdown plan may name the file that holds it. A client in a sandbox or on another machine may be
unable to open a file outside the session's directories. But agents often keep such files in a
directory of their own, so this rule is off by default.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"/work/../etc/tidy.md"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"/work/docs/../tidy.md"}}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let (text, path) = file(updated)?;
    let roots = connection.session(updated.session_id)?.roots.as_ref()?;
    if roots.contain(&path) {
        return Some(Verdict::Pass);
    }
    let path = shortened(&path);
    Some(
        Finding::new(format!("the plan file `{path}` is outside the session's directories"))
            .at(text, "not in any of them")
            .at(roots.at, "the directories are set here")
            .help("put the file where the client can open it")
            .into(),
    )
}

/// The text that names the file of a plan, and the file's absolute path; `None` for plans without a
/// file. Until 20 November 2026, plans of type `file` named it by a URI.
fn file<'t>(updated: &PlanUpdated<'t>) -> Option<(Text<'t>, String)> {
    if let Some(uri) = uris::of(updated) {
        let path = uris::path(&uris::absolute(&uri.as_cow()).ok()?)?;
        return Some((uri, path));
    }
    let path = markdown_path_not_absolute::path(updated)?;
    let text = path.as_cow();
    paths::is_absolute(&text).then(|| (path, paths::normalised(&text)))
}
