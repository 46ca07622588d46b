use crate::{
    model::{
        Session,
        session::plans::{EntryStatus, ItemList},
    },
    rule::prelude::*,
    rules::plan::{cites, turn},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/never-progressed",
    summary: "tools finish, but all plan entries stay pending",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &cites::PROGRESS,
    requirements: &["plan.report-progress"],
    explanation: r"
At least five tool calls have finished and the turn is over, but every step of the plan is still
pending. Either the agent never updated the plan, or the turn was about something else. A plan that
never changes tells the user nothing.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c0","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c3","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c4","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c0","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c2","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c3","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c4","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c0","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c2","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c3","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c4","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c0","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c2","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c3","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c4","title":"Read a file","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Answer(&["session/prompt"], answered), On::Update(&["state_update"], reported)],
    ..Rule::DEFAULT
};

/// Number of finished tool calls from which on a plan without any progress is reported.
const TOOLS: u32 = 5;

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::stopped(answer, connection)?;
    judged(session, reason)
}

fn reported(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::idle(update, connection)?;
    judged(session, reason)
}

fn judged(session: &Session, reason: Text<'_>) -> Option<Verdict> {
    let tools = session.turn.finished_tools;
    if reason != "end_turn" || tools < TOOLS {
        return None;
    }
    let mut session_lists =
        turn::session_lists(session).filter(|listing| !listing.items().is_empty());
    let first = session_lists.next()?;
    let stands =
        |listing: &ItemList| listing.items().iter().all(|item| item.status == EntryStatus::Pending);
    if !stands(first) || !session_lists.all(stands) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "{tools} tool calls have finished, but every plan entry is still pending"
        ))
        .at(reason, "the turn ends here")
        .at(first.at(), "no status has changed since")
        .into(),
    )
}
