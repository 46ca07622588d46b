use crate::{
    model::session::plans::{Suspicion, SuspicionKind},
    rule::prelude::*,
    rules::plan::{cites, naming::shortened, turn},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/unfinished-entry-dropped",
    summary: "an unfinished entry disappears from a plan",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::DYNAMIC,
    explanation: r"
Agents may drop steps, so this is not a fault and the rule is off by default. Switch it on to find
out where a to-do list loses its entries. The rule skips lists with new entries: there the agent has
changed its plan, or its words.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"},{"content":"Dust","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"in_progress"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"cancelled"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Mop","priority":"medium","status":"pending"}]}}}}"#,
        ),
    ],
    on: &[
        On::Plan(check),
        On::Call(turn::ATTACHMENTS, |call, connection| {
            turn::verdict(turn::attached(call, connection), dropped)
        }),
        On::End(|_, connection| turn::verdict(turn::left_open(connection), dropped)),
    ],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let diff = updated.diff.as_ref()?;
    if diff.is_first || !diff.is_list {
        return turn::settled(updated, connection, dropped);
    }
    let session = connection.session(updated.session_id)?;
    let listing = session.plans.of(updated.snapshot.key)?.listing()?;
    // A list that may be partial is checked when no later list can prove that.
    let dropped = diff.dropped.filter(|_| diff.suspicion(listing).is_none());
    let Some(item) = dropped.and_then(|dropped| listing.items().get(dropped)) else {
        return Some(Verdict::Pass);
    };
    let list = updated.snapshot.list()?;
    let finding = found(listing.text(item)).at(list, "not in this list");
    Some(finding.and_at(dropped.and_then(|dropped| listing.mark(dropped)), LAST).into())
}

fn dropped(suspicion: &Suspicion) -> Option<Finding> {
    let (text, mark) =
        suspicion.example.as_ref().filter(|_| suspicion.kind == SuspicionKind::Dropped)?;
    Some(found(text).at(suspicion.at, "not in this list").at(mark.clone(), LAST))
}

const LAST: &str = "listed here for the last time";

fn found(text: &str) -> Finding {
    Finding::new(format!("unfinished `{}` disappears from the plan", shortened(text)))
}
