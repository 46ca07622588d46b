use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/current-mode-unknown",
    summary: "the current mode is not among the available ones",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/session-modes#sessionmodestate"),
        requires: "the current mode is one of the available ones",
    }],
    explanation: r"
Clients look up the mode to show its name. They find nothing and show only the id or no mode at all.
So the user does not know what the agent may do.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"plan"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"code"}}}"#,
    )],
    on: &[
        On::Update(&["current_mode_update"], updated),
        On::Answer(methods::SET_UP_SESSION, answered),
    ],
    ..Rule::DEFAULT
};

fn updated(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let modes = connection.session(update.session_id)?.info.modes.as_ref()?;
    let id = update.update.get("currentModeId")?.text()?;
    let is_known = modes.ids.contains(&id.as_cow());
    Some(Verdict::from((!is_known).then(|| unknown(id, modes.at))))
}

fn answered(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let modes = answer.result()?.get("modes")?;
    let available = modes.get("availableModes").filter(|available| available.is_array())?;
    let id = modes.get("currentModeId")?.text()?;
    let is_known = available.elements().any(|mode| mode.get("id").and_then(Node::text) == Some(id));
    Some(Verdict::from((!is_known).then(|| unknown(id, available))))
}

fn unknown(id: Text<'_>, available: impl Into<Mark>) -> Finding {
    Finding::new(format!("the current mode `{id}` is not one of the available modes"))
        .at(id, "no such mode")
        .at(available, "the available modes")
        .once_per(&*id.as_cow())
}
