use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "state/error-stop-without-error",
    summary: "the stop reason is `error` but no error is described",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ErrorStopReason"),
        requires: "an idle state with the stop reason `error` describes the error",
    }],
    requirements: &["state.error-described"],
    explanation: r"
The user sees that something failed, but not what. Put a code and a message into `error`, as in an
error response.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"error"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"Model unavailable"}}}}"#,
    )],
    on: &[On::Update(&["state_update"], check), On::Update(&["subagent_update"], check_subagent)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id);
    if session.is_some_and(|session| session.work.stops.cancelled_work.is_some()) {
        return None; // It should not be an error at all.
    }
    described(update.update)
}

/// Checks the state that a parent reports of its subagent on version 1. Subagents of version 2
/// report their state themselves.
fn check_subagent(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let state = update.update.get("state").filter(|state| state.is_object())?;
    if connection.version() != Some(Version::V1) || !state.get("state")?.is("idle") {
        return None;
    }
    described(state)
}

/// Checks that a state with the stop reason `error` describes the error; `None` for other states.
fn described(state: Node<'_>) -> Option<Verdict> {
    let reason = state.get("stopReason").filter(|reason| reason.is("error"))?;
    let error = state.get("error").filter(|error| !error.is_null());
    let finding = error.is_none().then(|| {
        Finding::new("work ends with an error that is not described")
            .at(reason, "the stop reason")
            .at(Mark::missing_in(state), "`error` is missing here")
            .help("add `error` with a code and a message")
    });
    Some(finding.into())
}
