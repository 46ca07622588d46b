use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "terminal/output-after-exit",
    summary: "a terminal sends output after it has exited",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("TerminalExitStatus"),
        requires: "the exit status means that the terminal has exited",
    }],
    explanation: r"
Clients close the output when the exit status comes. Some drop later output, and others show it
after the line with the exit status. Send the rest of the output first, or send the whole output
with an update.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"b2sK"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"b2sK"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","output":{"data":"b2sK"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["terminal_output_chunk"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("terminalId")?.text()?;
    if session.is_replaying() {
        return None;
    }
    let exit = session.agent_terminals.get(id).and_then(|display| display.exit);
    let Some((exit, _)) = exit else { return Some(Verdict::Pass) };
    Some(
        Finding::new(format!("terminal `{id}` sends output after it has exited"))
            .at(update.update, "output")
            .at(exit, "exited here")
            .help("send the rest of the output before the exit status")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
