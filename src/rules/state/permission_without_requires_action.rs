use crate::{
    model::{RequestFacts, session::activity::AgentState},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "state/permission-without-requires-action",
    summary: "all work waits for the user, but the state stays `running`",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequiresActionStateUpdate"),
            requires: "`requires_action` means that work waits for the user",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/prompt-lifecycle#5-tool-invocation-and-status-reporting",
            ),
            requires: "the agent reports that it waits for the user",
        },
    ],
    requirements: &["elicitation.requires-action", "state.requires-action"],
    explanation: r"
Only the question is open, but the state is still `running`. Clients that show which sessions need
the user, in a list or by a sound, do not show this one.
",
    tck: &["PATCH-209"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","id":"a1","method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"_acme/tick","params":{}}
{"jsonrpc":"2.0","id":"a1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":"a1","method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"_acme/tick","params":{}}
{"jsonrpc":"2.0","id":"a1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Answer(&["session/request_permission", "elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    Some(asked(answer, connection)?.about(match &*answer.request.method {
        "elicitation/create" => &["elicitation.requires-action", "state.requires-action"],
        _ => &["state.requires-action"],
    }))
}

fn asked(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    // Rejected at once, or about work that is not known to wait.
    answer.result()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let work = &session.work;
    let asked = answer.request.number;
    if session.activity.state == AgentState::RequiresAction {
        return Some(Verdict::Pass);
    }
    let waited = session.activity.state == AgentState::Running
        && !session.is_replaying()
        && work.open_questions == 1
        && work.updated < asked
        && work.stopped < asked;
    // After an immediate response the agent had no time to report the state.
    let seconds = answer.request.time.zip(answer.at).map(|(then, now)| now - then);
    let is_instant = seconds.is_some_and(|seconds| seconds < 1.0);
    // Background work may ask while no other work waits.
    let subject = match &answer.request.facts {
        RequestFacts::Permission(ask) => ask.tool_call.as_deref().or(ask.terminal.as_deref()),
        _ => None,
    };
    let known = subject.and_then(|id| session.tool_calls.named(id));
    let is_new = subject.is_some() && known.is_none_or(|call| call.first_number >= asked);
    let background = session.activity.background();
    let is_behind =
        background.is_some_and(|it| subject.is_none_or(|id| it.lists(id)) && !it.is_empty());
    if !waited || is_instant || is_behind || is_new {
        return None;
    }
    Some(
        Finding::new("all work waits for the user, but the state stays `running`")
            .at(answer.request.method_at, "asked here; nothing else happens until the answer")
            .at(answer.node, "answered here")
            .and_at(work.state, "the last state")
            .help("send `requires_action` with the question")
            .once_per(session.first.span().start)
            .into(),
    )
}
