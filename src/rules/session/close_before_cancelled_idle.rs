use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/close-before-cancelled-idle",
    summary: "a close is confirmed while work still goes on",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CloseSessionRequest"),
        requires: "closing first cancels the work of the session and reports that",
    }],
    requirements: &["session.close-idle"],
    explanation: r"
The response says that everything is over. If the client still sees the session at work, it cannot
know whether the tools have stopped. It may show the session as running forever, because no further
update may come.
",
    tck: &["CANCEL-208", "CLOSE-202"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
    )],
    on: &[On::Answer(&["session/close"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let session = connection.session_named(id).filter(|_| answer.result().is_some())?;
    if !session.activity.is_active() {
        let Some(ended) = session.work.ended_despite_close else {
            return session.work.was_active_at_close.then_some(Verdict::Pass);
        };
        return Some(
            Finding::new(format!(
                "session `{id}` is closed, but its work was not reported as cancelled"
            ))
            .at(answer.node, "confirmed")
            .at(ended, "expected the stop reason `cancelled`")
            .at(answer.request.at, "the client closes the session here")
            .into(),
        );
    }
    Some(
        Finding::new(format!("the close of session `{id}` is confirmed while work goes on"))
            .at(answer.node, "confirmed")
            .at(answer.request.at, "the client closes the session here")
            .and_at(session.turn.began, "the work began here")
            .help("report `idle` with the stop reason `cancelled` first")
            .into(),
    )
}
