use crate::{model::Session, rule::prelude::*, rules::state::states};

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
    explanation: r"
The agent sends output, but the client shows no work: no spinner and no stop button. Background work
may send output while the state is idle, so this is usually an info. After an accepted prompt it is
a warning.
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
    on: &[On::Update(&["state_update"], told), On::End(ended)],
    variants: &[(Severity::Warning, "after an accepted prompt")],
    ..Rule::DEFAULT
};

fn told(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let state = update.update.get("state")?;
    if !state.is("idle") {
        return Some(Verdict::Pass);
    }
    // With a stop reason another rule reports the end of the work.
    let is_end = update.update.get("stopReason").is_some_and(|reason| !reason.is_null());
    if is_end {
        return session.activity.is_active().then_some(Verdict::Pass);
    }
    finding(session).map(Verdict::from)
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    if connection.version() != Some(Version::V2) {
        return None;
    }
    let sessions = connection.sessions().map(|(_, session)| session);
    // At the end only work of a prompt is reported: other output may belong to background work.
    let prompted = sessions.filter(|session| session.work.accepted.is_some());
    let findings: Vec<_> = prompted.filter_map(finding).collect();
    Verdict::failed(findings)
}

fn finding(session: &Session) -> Option<Finding> {
    let output = session.work.output.filter(|_| states::is_idle(session))?;
    if session.activity.background().is_some_and(|background| !background.is_empty()) {
        return None;
    }
    let finding = Finding::new("the agent sends output while its state is idle")
        .at(output, "new output")
        .and_at(session.work.accepted, "a prompt is accepted here")
        .and_at(session.work.state, "the last state")
        .help("send `running` before the output of foreground work")
        .once_per(session.first.span().start);
    let is_prompted = session.work.accepted.is_some();
    Some(finding.as_severity_if(is_prompted, Severity::Warning))
}
