use crate::{
    model::session::plans::PlanBody,
    rule::prelude::*,
    rules::{paths, plan::naming::shortened},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/markdown-path-not-absolute",
    summary: "the path of a Markdown plan is not absolute",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("PlanMarkdown"),
        requires: "`path` is an absolute path",
    }],
    requirements: &["plan.markdown-path"],
    explanation: r"
A Markdown plan may name the file that holds it, so that the client can open it. Client and agent
may have different working directories, so a relative path does not say which file it is. The member
and this requirement came on 20 November 2026. A null path counts as absent.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"tidy.md"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"/work/tidy.md"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"file:///work/tidy.md"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"/work/tidy.md"}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

/// The `path` of a Markdown plan; `None` when it is missing or not a string.
pub(super) fn path<'t>(updated: &PlanUpdated<'t>) -> Option<Text<'t>> {
    match updated.snapshot.form {
        PlanBody::Markdown(_) => updated.snapshot.plan.get("path")?.text(),
        PlanBody::Items(_) | PlanBody::File(_) | PlanBody::Other(_) => None,
    }
}

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let path = path(updated)?;
    let text = path.as_cow();
    if paths::is_absolute(&text) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(paths::not_absolute("the plan's path", &shortened(&text)))
            .at(path, "not absolute")
            .help(paths::advice(&text))
            .explains(path.node())
            .unless_masked(paths::is_masked(&text))
            .into(),
    )
}
