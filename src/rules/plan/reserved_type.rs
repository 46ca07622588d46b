use crate::{
    model::session::plans::PlanBody,
    rule::prelude::*,
    rules::{
        plan::{reserved, values},
        surface::{newer_than_known::advertised, withdrawn_plan_type::FILE_ADVICE},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/reserved-type",
    summary: "a custom plan type lacks the leading underscore",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v2/agent-plan#extensibility"),
            requires: "plan types of one's own begin with an underscore; all others belong to the \
                       protocol",
        },
        Citation {
            version: None,
            source: SourceText::Page("rfds/v2/enum-variant-extension"),
            requires: "unknown names without an underscore are kept for later revisions",
        },
    ],
    explanation: r"
The set of plan types is open on version 2, and its schema admits any name. An agent may add a type
of its own, told by an underscore; a plain name may get a meaning in a later revision, and then
clients will read the same plan differently. There is no type for removing a plan: the protocol
considered one and has the update `plan_removed` instead. The type `file` was withdrawn on 20 November
2026; while no edition is pinned, `surface/withdrawn-plan-type` speaks of it.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"gantt","planId":"tidy","rows":[]}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"_gantt","planId":"tidy","rows":[]}}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let kind = match updated.snapshot.form {
        PlanBody::Other(kind) => kind?.text()?,
        // surface/withdrawn-plan-type
        PlanBody::File(_) if connection.pinned_edition().is_none() => return None,
        PlanBody::File(_) => updated.snapshot.plan.get("type")?.text()?,
        PlanBody::Items(_) | PlanBody::Markdown(_) => return Some(Verdict::Pass),
    };
    let defined = values::types(connection);
    if !values::is_reserved(kind, &defined) {
        return Some(Verdict::Pass);
    }
    // surface/newer-than-known
    if advertised(&kind.as_cow(), Side::Client, connection).is_some() {
        return None;
    }
    let finding = reserved::finding(kind, "type", &defined, connection);
    Some(
        match &*kind.as_cow() {
            "removed" => finding.help("dismiss a plan with the update `plan_removed` and its id"),
            "file" => finding.help(FILE_ADVICE),
            _ => finding,
        }
        .into(),
    )
}
