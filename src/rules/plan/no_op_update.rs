use crate::{
    model::session::plans::{Content, PlanBody},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/no-op-update",
    summary: "a plan update changes nothing",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/agent-plan#updating-plans"),
            requires: "updates report progress",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/agent-plan#updating-plans"),
            requires: "updates report progress",
        },
    ],
    requirements: &["plan.report-progress"],
    explanation: r"
An agent may send the same plan again, and at the beginning of a turn this is often intended. Within
a turn it only costs time: every client draws the plan again.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy up"}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(updated.session_id).filter(|it| !it.is_replaying())?;
    let snapshot = &updated.snapshot;
    let plan = session.plans.of(snapshot.key)?;
    let content = plan.content_of(session.turn.number)?;
    let (same, place) = match (&snapshot.form, content) {
        (PlanBody::Items(entries), Content::Items(listing)) => {
            let diff = updated.diff.as_ref().filter(|diff| !diff.is_first)?;
            (diff.is_repetition(entries, listing), snapshot.list())
        }
        (PlanBody::Markdown(text), Content::Markdown(page)) => {
            (text.is_some_and(|text| text.is(&page.text)), *text)
        }
        (PlanBody::File(uri), Content::File(old)) => (uri.is_some_and(|uri| uri.is(old)), *uri),
        _ => return None,
    };
    if !same {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("a plan update changes nothing")
            .at(place?, "same as before")
            .at(plan.at(), "already sent here")
            .into(),
    )
}
