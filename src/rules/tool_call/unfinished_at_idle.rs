use std::collections::BTreeSet;

use crate::{
    model::{RequestFacts, connection::rpc::LOOKED_AT, session::tool_calls::ToolCall},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/unfinished-at-idle",
    summary: "work ends while its tool call is unfinished",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#status"),
            requires: "a tool call ends as completed, failed or cancelled",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("BackgroundToolCall"),
            requires: "a tool call that continues in an idle session is in the background list",
        },
    ],
    explanation: r"
Idle means that the agent waits for the user. If a tool call is still pending or running, the agent
forgot it, or it continues in the background. Then it belongs in the background list. Otherwise
clients show a spinner forever, or offer to cancel a call that has ended.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Warning, "where the agent reports background work")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let is_cancelled = update.update.get("stopReason").is_some_and(|reason| reason.is("cancelled"));
    let activity = &session.activity;
    if session.is_replaying() || is_cancelled || !activity.is_ended_by(update) {
        return None;
    }
    let background = activity.background_after(update);
    let state = update.update.get("state")?;
    if !session.tool_calls.has_new_since(activity.ended) {
        return None;
    }
    let session_id = update.session_id.as_cow();
    // Another rule reports calls that wait for the user; rejected calls have not begun.
    let (rpc, method) = (&connection.rpc, "session/request_permission");
    let mut asked: Option<BTreeSet<&str>> = None;
    let mut is_asked = |id: &str| {
        let asked = asked.get_or_insert_with(|| {
            let open = rpc.perhaps_open_in(&session_id, Side::Agent, method);
            let asked = open.rev().take(LOOKED_AT).filter_map(|request| match &request.facts {
                RequestFacts::Permission(ask) => ask.tool_call.as_deref(),
                _ => None,
            });
            asked.collect()
        });
        asked.contains(id)
    };
    // Work in a terminal is listed as the terminal.
    let is_listed = |id: &str, call: &ToolCall| {
        background.as_ref().is_some_and(|list| {
            list.lists(id) || call.terminals().iter().any(|terminal| list.lists(terminal))
        })
    };
    // Other rules report calls that the list drops, and calls that are being cancelled.
    let is_judged = |id: &str, call: &ToolCall| {
        connection.edition() >= Edition::November2026
            && (call.cancellation().accepted.is_some()
                || activity.background().is_some_and(|known| known.lists(id)))
    };
    let unfinished = session.tool_calls.under_way_since(activity.ended).filter(|(id, call)| {
        call.denied().is_none() && !is_listed(id, call) && !is_judged(id, call) && !is_asked(id)
    });
    Some(
        unfinished
            .map(|(id, call)| {
                let finding =
                    Finding::new(format!("work ends while tool call `{id}` is unfinished"))
                        .at(call.last, "last reported here")
                        .at(state, "idle from here")
                        .help("report its end, or put it into the background list");
                finding.as_severity_if(background.is_some(), Severity::Warning)
            })
            .collect(),
    )
}
