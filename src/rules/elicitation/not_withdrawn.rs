use crate::{
    model::connection::rpc::LOOKED_AT,
    rule::prelude::*,
    rules::{recent, withdrawn},
};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/not-withdrawn",
    summary: "the agent does not withdraw an open elicitation when its work is cancelled",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CreateElicitationRequest"),
        requires: "an agent withdraws the elicitations of cancelled work with `$/cancel_request`",
    }],
    requirements: &["cancel.withdraw-elicitation"],
    explanation: r"
The user has stopped the work but still sees its question. Nobody waits for the answer. If
background work continues, the question may belong to it, and the rule reports nothing.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which port?","requestedSchema":{"type":"object","properties":{"port":{"type":"integer"}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":0,"result":{"action":"cancel"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which port?","requestedSchema":{"type":"object","properties":{"port":{"type":"integer"}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"Cancelled"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
    )],
    on: &[
        On::Answer(&["elicitation/create"], withdrawn::answered),
        On::Update(&["state_update"], check),
    ],
    variants: &[(Severity::Error, "with `--edition 2026-11-20`")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let cancelled = session.cancelled?;
    let reason = update.update.get("stopReason")?;
    if !session.activity.is_ended_by(update) || !reason.is("cancelled") {
        return None;
    }
    let background = session.activity.background_after(update);
    if background.is_some_and(|background| !background.is_empty()) {
        return None;
    }
    let session_id = update.session_id.as_cow();
    let open = connection.rpc.open_in(&session_id, Side::Agent, "elicitation/create");
    let pending = open.rev().take(LOOKED_AT).filter(|request| request.number < cancelled.number);
    Verdict::on_each(pending, |request| {
        (!request.may_be_cancelled).then(|| {
            Finding::new("an elicitation stays open although its work is cancelled")
                .at(request.at, "still open")
                .at(cancelled.at, "the client cancels the work")
                .at(reason, "the end of the work")
                .help("withdraw it with `$/cancel_request`")
                .as_severity(recent::severity(connection, Severity::Warning))
        })
    })
}
