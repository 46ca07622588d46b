use crate::{
    model::session::plans::Plan,
    rule::prelude::*,
    rules::{
        named,
        plan::{capability, cites},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/removed-unknown",
    summary: "an agent removes a plan that the client does not show",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD.with(Gates::ORIGIN)),
    cites: &cites::REMOVAL,
    explanation: r"
The removal has no effect, because the client has no plan with this id. The plan that the agent
meant stays on the screen. Usually the agent made up a new id, used the id of another session, or
meant the plan without an id, which cannot be removed: `plan` with no entries clears it.

The client must ignore such a removal. But the agent does not know which plans are on the screen, so
this is an error of the agent. The rule skips sessions whose beginning is not recorded: the plan may
be older than the recording.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"ghost"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"Tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"tidy"}}}"#,
        ),
    ],
    on: &[On::PlanRemoved(check)],
    ..Rule::DEFAULT
};

/// Most other sessions in which the plan's id is looked for, to explain the fault; the finding does
/// not depend on them.
const MANY: usize = 256;

fn check(removed: &PlanRemoved<'_>, connection: &Connection) -> Option<Verdict> {
    let id = removed.plan_id?.text()?;
    let session = connection.session(removed.session_id)?;
    if !session.is_fully_recorded()
        || session.is_replaying()
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    if session.plans.get(id).is_some_and(Plan::was_shown) {
        return Some(Verdict::Pass);
    }
    if connection.version() == Some(Version::V1)
        && capability::takes_operations(connection) == Some(false)
    {
        return None; // plan/operation-without-capability
    }
    let finding = Finding::new(format!("plan `{id}` is removed, but the client does not show it"))
        .at(id, "no update of this session has this id")
        .once_per((removed.session_id, id));
    let elsewhere = connection
        .sessions()
        .take(MANY)
        .filter_map(|(name, session)| {
            let plan = session.plans.get(id).filter(|plan| plan.was_shown())?;
            Some((name, plan.at()))
        })
        .min_by_key(|(_, at)| at.span());
    if let Some((name, at)) = elsewhere {
        return Some(finding.at(at, format!("a plan of session `{name}`")).into());
    }
    if let Some(unnamed) =
        session.plans.unnamed().filter(|_| session.plans.named().next().is_none())
    {
        return Some(
            finding
                .at(unnamed.at(), "the client shows only this plan, which has no id")
                .help("send `plan` with no entries to clear it, or send plans with `plan_update`")
                .into(),
        );
    }
    let is_few = session.plans.named().nth(MANY).is_none();
    let shown = if is_few { session.plans.shown() } else { Vec::new() };
    let shown = named::first(shown.into_iter().filter_map(|(id, _)| id).take(3));
    let help = match &*shown {
        "" if !is_few => "the session has shown very many plans with other ids".to_owned(),
        "" => "the session has shown no plan with an id so far".to_owned(),
        shown => format!("plans shown so far: {shown}"),
    };
    Some(finding.help(help).into())
}
