use crate::{model::Session, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "permission/selected-after-cancel",
    summary: "the client grants a permission after the cancellation",
    level: By::both(Level::Must),
    severity: By::each(Severity::Error, Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
            requires: "a client that cancels a turn answers all its open permission requests with \
                       the outcome `cancelled`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#requesting-permission"),
            requires: "permission requests of a cancelled turn get the outcome `cancelled`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#cancellation"),
            requires: "pending permission requests get the outcome `cancelled` if their work is \
                       cancelled or the agent withdraws them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestPermissionOutcome"),
            requires: "a request that the agent has withdrawn is answered with `cancelled`",
        },
    ],
    requirements: &["cancel.permission-outcome"],
    explanation: r"
The user stopped the turn. A later approval may still start a tool that must not run any more.
Agents wait for the outcome `cancelled` before they clean up. Client code often forgets this: the
dialog stays open after the user presses stop, and its late answer is sent as usual.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}"#,
        ),
    ],
    on: &[On::Answer(&["session/request_permission"], check)],
    variants: &[(
        Severity::Info,
        "with `--edition 2026-11` or later where the agent has not withdrawn the request",
    )],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    match connection.version()? {
        Version::V1 => in_turn(answer, session),
        Version::V2 => in_work(answer, session, connection),
    }
}

/// Checks the answer to a permission request on version 1: after the turn's cancellation, its
/// outcome has to be `cancelled`, also when the turn has ended meanwhile.
fn in_turn(answer: &Answer<'_>, session: &Session) -> Option<Verdict> {
    let ended = session.work.stops.cancelled_turn;
    let ended = ended.filter(|turn| answer.request.number < turn.number);
    let cancelled = session.cancelled.map(|cancel| cancel.at).or(ended.map(|turn| turn.cancel))?;
    let (at, what) = match (answer.error(), chosen(answer)) {
        (Some(_), _) if answer.request.may_be_cancelled => match answer.error_code() {
            Some(-32800) => return Some(Verdict::Pass),
            Some(_) => (answer.error()?, "an error"),
            // jsonrpc/error-object
            None => return None,
        },
        (Some(error), _) => (error, "an error"),
        (None, Some((outcome, true))) => (outcome, "`selected`"),
        (None, Some((_, false))) => return Some(Verdict::Pass),
        (None, None) => return None,
    };
    Some(
        Finding::new(format!(
            "a permission request is answered with {what} after the turn was cancelled"
        ))
        .at(at, "not `cancelled`")
        .at(cancelled, "the client cancels the turn here")
        .at(answer.request.at, "the permission request")
        .help("on cancellation, answer all open permission requests with the outcome `cancelled`")
        .once_per(cancelled.span().start)
        .into(),
    )
}

/// Checks the response to a permission request on version 2 that was open when the client cancelled
/// the work, or that the agent has withdrawn.
fn in_work(answer: &Answer<'_>, session: &Session, connection: &Connection) -> Option<Verdict> {
    let request = answer.request;
    // A client that has sent another message since had the time to answer.
    let withdrawn =
        request.cancelled.filter(|(_, number)| connection.last_of(Side::Client) > *number);
    let is_alone = session.activity.background().is_none_or(|it| it.is_empty());
    let work = &session.work;
    let ended = work.stops.cancelled_idle.filter(|idle| work.state == Some(idle.at));
    let cancelled = session.cancelled.map(|cancel| cancel.at).or(ended.map(|idle| idle.cancel));
    let asked = request.at.span().start;
    let cancelled = cancelled.filter(|cancel| asked < cancel.span().start && is_alone);
    let (outcome, is_selected) = chosen(answer)?;
    let (place, label) = match (withdrawn, cancelled) {
        (Some((at, _)), _) => (at, "the agent withdraws the request here"),
        (None, Some(at)) => (at, "the client cancels the work here"),
        (None, None) => return None,
    };
    if !is_selected {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(
        "a permission request is answered with `selected` after its work was cancelled",
    )
    .at(outcome, "not `cancelled`")
    .at(place, label)
    .at(request.at, "the permission request")
    .help("on cancellation, answer all open permission requests with the outcome `cancelled`");
    // Since November 2026 the agent withdraws its requests; an early response is optional.
    let is_courtesy =
        withdrawn.is_none() && connection.pinned_edition() >= Some(Edition::November2026);
    Some(finding.as_severity_if(is_courtesy, Severity::Info).into())
}

/// The outcome of a response to a permission request, and whether it is `selected`; `None` for
/// unknown outcomes.
fn chosen<'t>(answer: &Answer<'t>) -> Option<(Node<'t>, bool)> {
    let outcome = answer.result()?.get("outcome")?.get("outcome")?;
    (outcome.is("selected") || outcome.is("cancelled")).then(|| (outcome, outcome.is("selected")))
}
