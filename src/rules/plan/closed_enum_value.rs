use crate::{
    rule::prelude::*,
    rules::{
        plan::{
            naming::shortened,
            values::{self, Member, OLD_STATUS, PRIORITY},
        },
        schema::wording::either,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/closed-enum-value",
    summary: "a plan entry has a status or priority that version 1 does not define",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v1/agent-plan#plan-entries"),
            requires: "an entry is pending, in progress or completed, and has high, medium or low \
                       priority",
        },
        Citation {
            version: None,
            source: SourceText::Definition("PlanEntryStatus"),
            requires: "the only statuses are `pending`, `in_progress` and `completed`",
        },
        Citation {
            version: None,
            source: SourceText::Definition("PlanEntryPriority"),
            requires: "the only priorities are `high`, `medium` and `low`",
        },
    ],
    explanation: r"
Version 1 defines all statuses and priorities; there are no custom ones. Official readers accept the
update, but they drop the entry with the unknown value. So a step silently disappears from the
user's plan. `cancelled` and custom values came with version 2. On version 1, leave an abandoned
step out of the list.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"doing"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"in_progress"}]}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    values::judged(updated, connection, &[PRIORITY, OLD_STATUS], wrong)
}

fn wrong(value: Text<'_>, member: &Member) -> Option<Finding> {
    let Member { name, defined, .. } = member;
    let remedy = match &*value.as_cow() {
        "cancelled" => {
            "only version 2 has `cancelled`: leave the step out of the plan; ".to_owned()
        }
        custom if custom.starts_with('_') => "only version 2 has custom values; ".to_owned(),
        other => values::meant(other, defined)
            .map(|meant| format!("did you mean `{meant}`? "))
            .unwrap_or_default(),
    };
    let text = shortened(&value.as_cow());
    Some(
        Finding::new(format!(
            "a plan entry has the {name} `{text}`, which version 1 does not define"
        ))
        .at(value, format!("expected {}", either(defined)))
        .help(format!("{remedy}official readers drop this entry and keep the others"))
        .explains(value.node()),
    )
}
