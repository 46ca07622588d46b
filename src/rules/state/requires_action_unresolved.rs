use crate::{rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/requires-action-unresolved",
    summary: "work continues, but the state stays `requires_action`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("RequiresActionStateUpdate"),
        requires: "after the user has answered, the agent reports `running` when work continues",
    }],
    requirements: &["state.resumed"],
    explanation: r"
The client still tells the user to act, but the agent has already continued. Send `running` after
the answer and before anything else. Only a status of the tool call that the user was asked about may
come first.
",
    tck: &["PATCH-209"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","id":"a1","method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":"a1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests","status":"pending"}}}
{"jsonrpc":"2.0","id":"a1","method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":"a1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(
        &[
            "agent_message",
            "agent_message_chunk",
            "agent_thought",
            "agent_thought_chunk",
            "state_update",
            "tool_call_update",
        ],
        check,
    )],
    variants: &[(Severity::Warning, "in editions before 2026-11")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let (work, activity) = (&session.work, &session.activity);
    let (answered, answer) = work.answered?;
    let place: Mark = if update.kind == *"state_update" {
        let state = update.update.get("state")?;
        if state.is("running") {
            return activity.is_active().then_some(Verdict::Pass);
        }
        work.resumed.filter(|_| state.is("idle"))?.into()
    } else if !work.is_resumed_by(update, activity) {
        return (work.episode.is_none() && activity.is_active()).then_some(Verdict::Pass);
    } else if let Some(resumed) = work.resumed {
        resumed.into()
    } else if work.is_asked_about(update, activity) {
        return None; // `running` may follow at once.
    } else {
        update.kind.into()
    };
    let episode = work.episode?;
    let finding = Finding::new("work continues, but the state is still `requires_action`")
        .at(place, "the work continues")
        .at(episode.at, "the state is still this one")
        .at(answered, "the user answered here")
        .help("send `running` after the answer")
        // The state may announce another question.
        .disputed_if(answer < episode.number)
        .once_per(episode.number);
    // Before November 2026 this was a recommendation.
    let is_advice = connection.edition() < Edition::November2026;
    Some(finding.as_severity_if(is_advice, Severity::Warning).into())
}
