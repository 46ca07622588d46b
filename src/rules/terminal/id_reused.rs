use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "terminal/id-reused",
    summary: "an exited terminal gets another command",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    needs: &[Loss::AllBut(Side::Client), Loss::AllBut(Side::Agent)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/tool-calls#display-only-terminals"),
        requires: "each terminal has its own id",
    }],
    requirements: &["terminal.unique-id"],
    explanation: r"
Clients keep the output by the id. The output of another command is appended to the old one, or
replaces output that the user still wants to read.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make install","exitStatus":null}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","output":{"data":"b2sK"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["terminal_update"], check)],
    variants: &[(Severity::Warning, "where the exit status stays")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("terminalId")?.text()?;
    let display = session.agent_terminals.get(id)?;
    let (exit, _) = display.exit?;
    if session.is_replaying() {
        return None;
    }
    let other =
        update.update.get("command").and_then(Node::text).filter(|command| {
            display.command.as_ref().is_some_and(|(known, _)| *command != **known)
        });
    let Some(command) = other else { return Some(Verdict::Pass) };
    let restarts = update.update.get("exitStatus").is_some_and(Node::is_null);
    let finding = Finding::new(format!("terminal `{id}` has exited but gets another command"))
        .at(command, "another command")
        .at(exit, "exited here")
        .and_at(display.command.as_ref().map(|(_, at)| *at), "the command that ran")
        .help("give the terminal of each command its own id");
    // While the exit status stays, the new command may be a correction.
    Some(finding.as_severity_if(!restarts, Severity::Warning).into())
}
