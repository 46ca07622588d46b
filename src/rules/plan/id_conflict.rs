use crate::{rule::prelude::*, rules::plan::identity};

pub(crate) static RULE: Rule = Rule {
    id: "plan/id-conflict",
    summary: "a plan has both `id` and `planId`",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("PlanItems"),
            requires: "a plan has one id, in `planId`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "implementations add custom members only under `_meta`",
        },
    ],
    explanation: r"
Until 1 July 2026, `planId` was called `id`. Current schemas ignore `id` as an unknown member. A
client of that time reads `id`, and a later one reads `planId`. If the values differ, the two
clients show different plans, and a removal reaches only one of them. Equal values do no harm, so
they are only an info.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","id":"1","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","_meta":{"id":"1"},"entries":[]}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","id":"tidy","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"_map","planId":"tidy","id":7}}}}"#,
        ),
    ],
    on: &[On::Update(identity::OPERATIONS, check)],
    variants: &[(Severity::Info, "where both ids are equal")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let holder = identity::holder(update)?;
    let [right, wrong] = connection.edition().plan_ids();
    let id = holder.get(right)?;
    let Some(other) = holder.get(wrong).filter(|_| !is_custom(update, holder)) else {
        return Some(Verdict::Pass);
    };
    let name = holder.name_of(wrong)?;
    let equal = id.text().is_some_and(|id| other.text() == Some(id));
    let finding = if equal {
        Finding::new(format!("a plan has its id twice, as `{right}` and as `{wrong}`"))
            .at(name, "readers of this edition ignore it")
            .at(id, "the id")
            .help(format!("remove `{wrong}`, unless clients of another edition need it"))
            .as_severity(Severity::Info)
    } else {
        Finding::new(format!("a plan has two different ids, in `{right}` and in `{wrong}`"))
            .at(other, "clients of another edition read this")
            .at(id, "clients of this edition read this")
            .help(format!("remove `{wrong}`, or put it under `_meta`"))
    };
    Some(finding.explains(name).once_per(equal).into())
}

/// Whether an update is about a plan of a custom type, which may have any members.
fn is_custom(update: &Update<'_>, holder: Node<'_>) -> bool {
    update.kind == "plan_update"
        && !holder
            .get("type")
            .is_some_and(|kind| kind.is("items") || kind.is("markdown") || kind.is("file"))
}
