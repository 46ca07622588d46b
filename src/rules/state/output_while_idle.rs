use crate::{
    model::{Session, session::activity::AgentState},
    rule::prelude::*,
    rules::state::states,
};

pub(crate) static RULE: Rule = Rule {
    id: "state/output-while-idle",
    summary: "the agent sends output while its state is idle",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("StateUpdate"),
        requires: "the state reports foreground work",
    }],
    requirements: &["cancel.ignore-late-answers"],
    is_wider: true,
    explanation: r"
The agent begins a message or a tool call, but the client shows no work: no spinner and no stop
button. Background work may send output while the state is idle, so this is usually an info. After an
accepted prompt, or after the user has cancelled the work, it is a warning.
",
    tck: &["STATE-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m9","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m9","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[
        On::Update(OUTPUT, sent),
        On::Update(&["state_update"], told),
        On::Call(&["session/prompt"], prompted),
        On::End(ended),
    ],
    variants: &[(Severity::Warning, "after an accepted prompt or a cancellation")],
    ..Rule::DEFAULT
};

/// Kinds of session updates with output of the agent.
const OUTPUT: &[&str] = &[
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "tool_call_update",
];

fn sent(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    // Where the state is idle, the next state tells.
    session.activity.is_active().then_some(Verdict::PassOf(&[]))
}

fn told(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let is_idle = update.update.get("state")?.is("idle");
    // With a stop reason another rule reports the end of the work.
    let is_end = update.update.get("stopReason").is_some_and(|reason| !reason.is_null());
    finding(session).filter(|_| is_idle && !is_end).map(Verdict::from)
}

/// Checks the output that came between the end of the last work and this prompt.
fn prompted(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?).filter(|it| !it.is_replaying())?;
    finding(session).filter(|_| has_worked(session)).map(Verdict::from)
}

/// Whether work has ended since the session was created or attached. Before that, the agent may
/// greet the user or finish the replay.
fn has_worked(session: &Session) -> bool {
    let attached = session.attachment.as_ref().map_or(0, |attachment| attachment.number);
    session.activity.state == AgentState::Idle && session.activity.ended > attached
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    if connection.version() != Some(Version::V2) {
        return None;
    }
    let sessions = connection.sessions().map(|(_, session)| session);
    // Where the recording stops, `running` may follow.
    let is_due = |session: &&Session| {
        session.work.accepted.is_some() || (connection.tail_is_closed() && has_worked(session))
    };
    let live = sessions.filter(|session| !session.is_replaying());
    let findings: Vec<_> = live.filter(is_due).filter_map(finding).collect();
    Verdict::failed(findings)
}

fn finding(session: &Session) -> Option<Finding> {
    let output = session.work.idle_output.filter(|_| session.is_idle())?;
    if session.activity.background().is_some_and(|background| !background.is_empty()) {
        return None;
    }
    let cancelled = session.work.stops.cancelled_idle;
    let late = cancelled.and_then(|cancelled| cancelled.late_answer);
    let late = late.filter(|answer| answer.span().start < output.span().start);
    let about: &[_] = if late.is_some() { &["cancel.ignore-late-answers"] } else { &[] };
    let finding = Finding::new("the agent sends output while its state is idle")
        .at(output, "new output")
        .and_at(session.work.accepted, "a prompt is accepted here")
        .and_at(cancelled.map(|cancelled| cancelled.cancel), "cancelled here")
        .and_at(late, "a late answer to a question of the cancelled work")
        .and_at(session.work.state, "the last state")
        .help("send `running` before the output of foreground work")
        .about(about)
        .once_per(session.first.span().start);
    let is_unwanted = session.work.accepted.is_some() || cancelled.is_some();
    Some(finding.as_severity_if(is_unwanted, Severity::Warning))
}
