use crate::{
    model::session::{activity::AgentState, agent_terminals::Reference},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/unknown-reference",
    summary: "a permission request names a tool call or terminal that never appears",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CommandPermissionSubject"),
        requires: "a command's tool call and terminal are named by their ids; the agent may \
                   report them later",
    }],
    explanation: r"
Clients show the question beside the tool call or terminal with this id. If nothing ever has this
id, they cannot. Usually the agent lost the prefix of an id, or mixed up the ids of two layers.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"command","command":"make","cwd":"/work","toolCallId":"c9"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"command","command":"make","cwd":"/work","toolCallId":"c9"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c9","title":"Make","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Call(&["session/request_permission"], exercised), On::End(check)],
    ..Rule::DEFAULT
};

fn exercised(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let subject = call.param("subject")?;
    subject.get("toolCallId").or_else(|| subject.get("terminalId"))?.text()?;
    Some(Verdict::Pass)
}

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let tail = connection.tail_is_closed();
    let settled = connection.sessions().filter(|(_, session)| {
        session.is_fully_recorded() && (tail || session.activity.state == AgentState::Idle)
    });
    let findings: Vec<_> = settled
        .flat_map(|(_, session)| {
            let calls = session.tool_calls.iter().filter(|(_, call)| call.is_only_referenced());
            let calls = calls.map(|(id, call)| ("tool call", id, call.last));
            let terminals =
                session.agent_terminals.iter().filter_map(|(id, display)| {
                    match display.referenced {
                        Some(Reference::Permission(at)) if display.reported.is_none() => {
                            Some(("terminal", id, at))
                        }
                        _ => None,
                    }
                });
            calls.chain(terminals)
        })
        .map(|(what, id, at)| {
            Finding::new(format!("a permission request names {what} `{id}`, which never appears"))
                .at(at, "nothing else has this id")
        })
        .collect();
    Verdict::failed(findings)
}
