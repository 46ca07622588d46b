use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "terminal/first-update-without-command",
    summary: "a terminal has no command",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/tool-calls#display-only-terminals"),
        requires: "the first update of a terminal has its command",
    }],
    requirements: &["terminal.command-first"],
    explanation: r"
The command is the title of a terminal. Without it, the user does not know where the output comes
from. A terminal that is not a command, such as a log, has none, so this is only a hint.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"b2sK"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )
    .closed()],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let recorded = connection.sessions().filter(|(_, session)| session.is_fully_recorded());
    let verdicts = recorded.flat_map(|(_, session)| session.agent_terminals.iter()).filter_map(
        |(id, display)| {
            let first = display.updated?;
            if display.was_commanded {
                return Some(Verdict::Pass);
            }
            Some(
                Finding::new(format!("terminal `{id}` has no command"))
                    .at(first, "no `command` here or later")
                    .help("send `command` with the first update")
                    .into(),
            )
        },
    );
    Verdict::all(verdicts)
}
