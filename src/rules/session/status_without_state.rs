use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/status-without-state",
    summary: "the status of an open session has no state",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SessionStatusResponse.state"),
        requires: "the status of an open session has its current state",
    }],
    requirements: &["session.status-state"],
    explanation: r"
A client asks for the status to know whether the agent works on the session. Without the state it
has to open the session to learn that.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/status","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"status":"open"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/status","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"status":"open","state":{"state":"idle"}}}"#,
    )],
    on: &[On::Answer(&["session/status"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let status = result.get("status").filter(|status| status.is("open"))?;
    let is_missing = result.get("state").is_none_or(Node::is_null);
    Some(Verdict::from(is_missing.then(|| {
        Finding::new("the status of an open session has no state")
            .at(status, "the session is open")
            .at(Mark::missing_in(result), "`state` is missing here")
            .help("add the state that was reported last")
            .once_per("state")
    })))
}
