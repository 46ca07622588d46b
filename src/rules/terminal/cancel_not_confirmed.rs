use crate::{rule::prelude::*, rules::terminal::target};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/cancel-not-confirmed",
    summary: "a cancelled terminal never exits",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CancelTerminalRequest"),
        requires: "an exit status confirms an accepted cancellation",
    }],
    explanation: r"
The answer says only that the agent will try. Clients show the terminal as stopping until an exit
status says that it has stopped.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"signal":"SIGTERM"},"capabilities":null}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )
    .closed()],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let agent_terminals =
        connection.sessions().flat_map(|(_, session)| session.agent_terminals.iter());
    Verdict::all(agent_terminals.filter_map(|(id, display)| target::of(id, display).confirmed()))
}
