use crate::{model::session::plans::PlanBody, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "surface/withdrawn-plan-type",
    summary: "a plan has the removed type `file`",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Other("agent-client-protocol-schema 1.20.0"),
        requires: "a plan is a list of items or a text; the type `file` was removed on 20 \
                   November 2026",
    }],
    explanation: r"
The type `file` was a draft until 20 November 2026. On version 1, readers with later schemas refuse
the update. On version 2, they take `file` as a name that a later revision may define. An older
agent could not know this, so without `--edition` it is a warning. With `--edition 2026-11-20` it is
an error: `schema/params` on version 1, `plan/reserved-type` on version 2. To name the file of a
plan, send a Markdown plan with `path`.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file:///work/tidy.md"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"/work/tidy.md"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file:///work/tidy.md"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy","path":"/work/tidy.md"}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    variants: &[(Severity::Error, "where `uri` is missing")],
    ..Rule::DEFAULT
};

/// The help text that says what to send instead of the withdrawn plan type `file`.
pub(in crate::rules) const FILE_ADVICE: &str =
    "send the type `markdown`, with the text in `content` and the file in `path`";

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    if connection.pinned_edition().is_some() {
        return None;
    }
    let PlanBody::File(_) = updated.snapshot.form else { return Some(Verdict::Pass) };
    let plan = updated.snapshot.plan;
    let kind = plan.get("type")?;
    // No edition defines it without a `uri`.
    if plan.get("uri").and_then(Node::text).is_none() {
        return Some(
            Finding::new("a plan of the removed type `file` has no `uri`")
                .at(kind, "removed on 20 November 2026; earlier readers require a `uri`")
                .help(FILE_ADVICE)
                .as_severity(Severity::Error)
                .explains(plan)
                .once_per("file without uri")
                .into(),
        );
    }
    Some(
        Finding::new("the plan type `file` was removed on 20 November 2026")
            .at(kind, "later readers do not know it")
            .help(FILE_ADVICE)
            .explains(plan)
            .once_per("file")
            .into(),
    )
}
