use crate::{model::connection::rpc::LOOKED_AT, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "permission/pending-at-idle",
    summary: "work ends while its permission request is still open",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("StateUpdate"),
        requires: "`requires_action` means that the agent waits for the user; `idle` means that \
                   it waits for nothing",
    }],
    explanation: r"
An idle session is ready for the next prompt. A permission or elicitation request that is still open
belongs to work that has ended. Clients keep a useless dialog or drop it, and then the agent waits
forever for the answer.
",
    tck: &["PERM-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Info, "where background work may be the reason")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let is_cancelled = update.update.get("stopReason").is_some_and(|reason| reason.is("cancelled"));
    if session.is_replaying() || is_cancelled || !session.activity.is_ended_by(update) {
        return None;
    }
    if !connection.is_initialized() {
        return None; // Perhaps only the agent's side was recorded.
    }
    let is_alone = session.activity.background_after(update).is_none_or(|it| it.is_empty());
    let session_id = update.session_id.as_cow();
    let asked = |method| {
        let latest = connection.rpc.open_in(&session_id, Side::Agent, method).rev();
        let latest = latest.take_while(|request| request.number > session.activity.ended);
        latest.take(LOOKED_AT).collect::<Vec<_>>()
    };
    let open = [asked("session/request_permission"), asked("elicitation/create")];
    let mut open: Vec<_> = open.concat();
    let was_answered =
        session.work.answered.is_some_and(|(_, number)| number > session.activity.ended);
    if open.is_empty() && !was_answered {
        return None;
    }
    open.retain(|request| !request.may_be_cancelled);
    open.sort_by_key(|request| request.number);
    let state = update.update.get("state")?;
    Some(
        open.into_iter()
            .map(|request| {
                let finding = Finding::new("work ends while the agent still waits for the user")
                    .at(state, "idle, although a request is open")
                    .at(request.at, "not answered yet")
                    .help(
                        "stay in `requires_action` until the answer comes, or withdraw the request",
                    );
                finding.as_severity_if(!is_alone, Severity::Info)
            })
            .collect(),
    )
}
