use crate::{model::Session, rule::prelude::*, rules::plan::turn};

pub(crate) static RULE: Rule = Rule {
    id: "plan/not-reported",
    summary: "a tool keeps a list of tasks, and the turn has no plan",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/agent-plan#creating-plans"),
            requires: "an agent that plans its steps reports the plan to the client",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/agent-plan#creating-plans"),
            requires: "an agent that plans its steps reports the plan to the client",
        },
    ],
    requirements: &["plan.report"],
    explanation: r"
The agent has a plan: one of its tools has taken a list of tasks, each with a text and a status. But
the client only gets a tool call. It cannot show the steps and their progress. Send the list as a plan
each time that the tool changes it.

The rule knows such a tool by the form of its input, not by its name. It speaks once for each session,
at the end of a turn in which the tool call completed and no plan was sent. Turns that were cancelled
or cut off, subagents, replays, and tools that read, search or fetch do not count.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Plan the work","rawInput":{"todos":[{"content":"Sweep","status":"in_progress"},{"content":"Mop","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Plan the work","rawInput":{"todos":[{"content":"Sweep","status":"in_progress"},{"content":"Mop","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Plan the work","rawInput":{"todos":[{"content":"Sweep","status":"in_progress"},{"content":"Mop","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Plan the work","rawInput":{"todos":[{"content":"Sweep","status":"in_progress"},{"content":"Mop","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Answer(&["session/prompt"], answered), On::Update(&["state_update"], reported)],
    ..Rule::DEFAULT
};

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::stopped(answer, connection)?;
    if answer.request.may_be_cancelled {
        return None;
    }
    judged(answer.request.session_id.as_deref()?, session, reason, connection)
}

fn reported(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, reason) = turn::idle(update, connection)?;
    judged(&update.session_id.as_cow(), session, reason, connection)
}

fn judged(
    id: &str,
    session: &Session,
    reason: Text<'_>,
    connection: &Connection,
) -> Option<Verdict> {
    let tasks = &session.plans.tasks;
    let list = tasks.kept?;
    if reason != "end_turn" || session.cancelled.is_some() || session.parent.is_some() {
        return None;
    }
    if tasks.is_planned {
        return Some(Verdict::Pass);
    }
    // One of the lost messages may have been the plan.
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    Some(
        Finding::new("a tool keeps a list of tasks, but the agent sends no plan in this turn")
            .at(list, "the tool keeps a plan")
            .at(reason, "the turn ends here")
            .help("send the list as a plan whenever the tool changes it")
            .once_per(id)
            .into(),
    )
}
