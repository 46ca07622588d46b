use crate::{
    model::session::plans::{Plan, PlanKey},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/duplicate-representation",
    summary: "the same list is sent as `plan` and as `plan_update`",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/agent-plan#plan-operations"),
        requires: "the `plan` update still works beside plans with ids, as a separate plan",
    }],
    explanation: r"
Some agents send one list in both ways, so that older clients understand it too. A client that
supports plan operations then shows the list twice: once with an id and once without. `initialize`
tells the agent which of the two the client supports.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Sweep and mop"}}}}"#,
        ),
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

/// Most plans of a turn that are compared to find two forms of one plan; further ones are not.
const MANY: usize = 256;

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(updated.session_id).filter(|it| !it.is_replaying())?;
    let turn = session.turn.number;
    let plans = &session.plans;
    let others: &mut dyn Iterator<Item = &Plan> = match updated.snapshot.key {
        PlanKey::Unnamed if plans.named_in(turn).nth(MANY).is_some() => return None,
        PlanKey::Unnamed => &mut plans.named_in(turn),
        PlanKey::Named { .. } => &mut plans.unnamed().into_iter(),
        PlanKey::Missing => return None,
    };
    let mut others = others.filter(|plan| plan.content_of(turn).is_some()).peekable();
    others.peek()?;
    let entries = updated.snapshot.entries();
    let twin = others
        .filter_map(Plan::listing)
        .filter(|listing| !entries.is_empty() && listing.is_list_of(entries))
        .min_by_key(|listing| listing.at().span());
    let Some(twin) = twin else { return Some(Verdict::Pass) };
    Some(
        Finding::new("the same list is sent as `plan` and as `plan_update`")
            .at(updated.snapshot.list()?, "the same entries")
            .at(twin.at(), "already sent here")
            .help("send only the one that the client supports: this client shows both lists")
            .once_per(updated.session_id)
            .into(),
    )
}
