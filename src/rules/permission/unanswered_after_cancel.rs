use crate::{
    model::{RequestFacts, session::work::Cancelled},
    rule::prelude::*,
    rules::permission::open,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/unanswered-after-cancel",
    summary: "a permission request stays open after its cancelled turn",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
        requires: "a client that cancels a turn answers the open permission requests",
    }],
    requirements: &["cancel.permission-outcome"],
    explanation: r"
The agent must answer the prompt only after the client has answered its requests, and many agents
wait. If an agent does not wait, the answer comes later and belongs to no turn. An answer may be on
its way when the turn ends. So the rule reports the client only if it continues without an answer,
or never sends it.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
    )],
    on: &[
        On::Answer(&["session/request_permission"], answered),
        On::Call(&["session/prompt"], next),
        On::LeftOpen(never),
    ],
    ..Rule::DEFAULT
};

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    session.cancelled.map(|_| Verdict::Pass)
}

/// Checks the permission requests without answer when the client sends a further call, by which
/// time it has received all of them.
fn next(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?.as_cow();
    let turn = connection.session_named(&id)?.work.stops.cancelled_turn?;
    let waiting = open::of(connection, &id).map(|(request, _)| request);
    let mut waiting: Vec<_> = waiting.filter(|request| is_left(request, &turn)).collect();
    waiting.sort_by_key(|request| request.number);
    Some(waiting.into_iter().map(|request| finding(request, &turn)).collect())
}

fn never(request: &Request, connection: &Connection) -> Option<Verdict> {
    if !matches!(request.facts, RequestFacts::Permission(_)) {
        return None;
    }
    let session = connection.session_named(request.session_id.as_deref()?)?;
    let turn = session.work.stops.cancelled_turn.filter(|turn| is_left(request, turn))?;
    Some(finding(request, &turn).into())
}

fn is_left(request: &Request, turn: &Cancelled) -> bool {
    request.number < turn.number && !request.may_be_cancelled
}

fn finding(request: &Request, turn: &Cancelled) -> Finding {
    Finding::new("a permission request is still open after its turn was cancelled")
        .at(request.at, "not answered")
        .at(turn.cancel, "the client cancels the turn here")
        .at(turn.at, "the turn ends here")
        .help("on cancellation, answer all open permission requests with the outcome `cancelled`")
        .once_per(request.number)
}
