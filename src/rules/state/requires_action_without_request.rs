use crate::{rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/requires-action-without-request",
    summary: "`requires_action` is reported, but no question is open",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("RequiresActionStateUpdate"),
        requires: "`requires_action` means that work waits for an answer of the user",
    }],
    explanation: r"
The client tells the user to act, but has nothing to show. If the user must do something outside the
protocol, say so in a message or a notice.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":"a1","method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","id":"a1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let work = &session.work;
    let episode = work.episode?;
    // A snapshot may report a request of another connection.
    if session.attachment.as_ref().is_some_and(|found| found.reports_state(episode.at)) {
        return None;
    }
    let is_asked = episode.was_asked || work.asked > episode.number || work.has_link;
    if update.update.get("state").is_some_and(|state| state.is("requires_action"))
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    let finding = (!is_asked).then(|| {
        Finding::new("`requires_action` is reported, but no question is open")
            .at(episode.at, "nothing waits for the user")
            .at(update.update, "no question was sent before")
            .help("ask with `session/request_permission` or `elicitation/create`")
            .once_per(session.first.span().start)
    });
    Some(finding.into())
}
