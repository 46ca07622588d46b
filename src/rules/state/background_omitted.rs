use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "state/background-omitted",
    summary: "a state update has no background list",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("IdleStateUpdate"),
            requires: "an agent that reports background work includes it in every state update",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RunningStateUpdate"),
            requires: "an agent that reports background work includes it in every state update",
        },
    ],
    requirements: &["state.background"],
    explanation: r#"
A client cannot tell "nothing in the background any more" from "not sent this time", so it keeps
showing the last list. Send the list each time, even if it is empty.
"#,
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"x1"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"x1"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x1"}]}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    session.activity.background()?;
    let list = update.update.get("background");
    if list.is_some_and(|list| !list.is_null()) {
        return Some(Verdict::Pass);
    }
    let mark = list.map_or_else(|| Mark::missing_in(update.update), Mark::from);
    Some(
        Finding::new("a state update has no background list")
            .at(mark, "`background` is missing here")
            .and_at(session.work.state, "the state before")
            .help("send the list with every state, even if it is empty")
            .once_per(session.first.span().start)
            .into(),
    )
}
