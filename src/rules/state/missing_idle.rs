use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "state/missing-idle",
    summary: "work is never reported as ended",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("StateUpdate"),
        requires: "`idle` is reported when no foreground work goes on any more",
    }],
    requirements: &["state.idle"],
    explanation: r"
The connection ends while the session is reported as working. A client that waits for `idle` waits
forever, and shows work that does not go on.
",
    tck: &["STATE-202", "PROMPTCAP-001", "PERM-201", "CANCEL-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Done"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Done"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )
    .closed()],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let sessions = connection.sessions().map(|(_, session)| session);
    let mut active: Vec<_> = sessions
        .filter(|session| session.activity.is_active())
        // session/close-before-cancelled-idle, session/archive-active-not-closed
        .filter(|session| session.closed.is_none() && !session.shelved)
        .collect();
    active.sort_by_key(|session| session.first_number);
    let findings: Vec<_> = active
        .into_iter()
        .filter_map(|session| {
            Some(
                Finding::new("work is never reported as ended")
                    .at(session.work.state?, "the last state of the session")
                    .and_at(connection.last_message(), "the connection ends here")
                    .help("send `idle` with a stop reason when work ends"),
            )
        })
        .collect();
    Verdict::failed(findings)
}
