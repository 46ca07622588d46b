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
    summary: "a custom plan type does not start with an underscore",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v2/agent-plan#extensibility"),
            requires: "custom plan types start with an underscore; all other names are reserved \
                       for the protocol",
        },
        Citation {
            version: None,
            source: SourceText::Page("rfds/v2/enum-variant-extension"),
            requires: "unknown names without an underscore are reserved for later revisions",
        },
    ],
    requirements: &["ext.underscore-types"],
    explanation: r"
On version 2, the schema admits any plan type. Agents may add custom types, which start with an
underscore. A plain name may get a meaning in a later revision, and then clients read the same plan
differently.

There is no type for removing a plan: send the update `plan_removed`. The type `file` was removed on
20 November 2026. Without `--edition`, `surface/withdrawn-plan-type` reports it.
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
        PlanBody::Items(_) | PlanBody::Markdown(_) => return None,
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
            "removed" => {
                finding.help("to remove a plan, send the update `plan_removed` with its id")
            }
            "file" => finding.help(FILE_ADVICE),
            _ => finding,
        }
        .into(),
    )
}
