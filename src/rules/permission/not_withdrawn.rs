use crate::{
    rule::prelude::*,
    rules::{permission::open, recent, withdrawn},
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/not-withdrawn",
    summary: "the agent does not withdraw an open permission request of cancelled work",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Other(
            "schema crate, doc comments of `ClientNotification::CancelSession` and `AgentRequest::RequestPermission`",
        ),
        requires: "an agent withdraws the permission requests of cancelled work with \
                   `$/cancel_request`",
    }],
    requirements: &["cancel.withdraw-permissions"],
    explanation: r"
Since November 2026, the agent withdraws requests that it no longer needs. Until it does, clients
keep the dialog open, and the user decides about work that has already stopped.
",
    tck: &["INFO-CANCEL-202"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
    )],
    on: &[
        On::Answer(&["session/request_permission"], withdrawn::answered),
        On::Update(&["state_update"], check),
    ],
    variants: &[
        (Severity::Error, "with `--edition 2026-11-20`"),
        (Severity::Info, "with an earlier `--edition`"),
    ],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let cancelled = session.cancelled?;
    let reason = update.update.get("stopReason")?;
    if !session.activity.is_ended_by(update) || !reason.is("cancelled") {
        return None;
    }
    let session_id = update.session_id.as_cow();
    let pending = open::of(connection, &session_id).map(|(request, _)| request);
    let pending = pending.filter(|request| request.number < cancelled.number);
    Verdict::on_each(pending, |request| {
        (!request.may_be_cancelled).then(|| {
            Finding::new("the agent does not withdraw an open permission request of cancelled work")
                .at(request.at, "still open")
                .at(cancelled.at, "the client cancels the work here")
                .at(reason, "the work ended here")
                .help("send `$/cancel_request` for requests that are no longer needed")
                .as_severity(recent::severity(connection, Severity::Info))
        })
    })
}
