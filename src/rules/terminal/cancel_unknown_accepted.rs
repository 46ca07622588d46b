use crate::{
    rule::prelude::*,
    rules::{cancellation, terminal::target},
};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/cancel-unknown-accepted",
    summary: "the agent accepts the cancellation of a terminal that cannot be cancelled",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CancelTerminalRequest"),
        requires: "cancelling a terminal that is unknown, has exited or does not offer it fails \
                   with -32602",
    }],
    explanation: r"
The client takes the result as a promise that an exit status will follow. A terminal that has exited
or never existed sends none, so the client waits forever.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","id":3,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","id":3,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Nothing to cancel"}}"#,
    )
    .beside(&["capability/terminal-cancel"])],
    on: &[On::Answer(&["terminal/cancel"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    cancellation::accepted(answer, connection, "terminal", |session, id| {
        let known = session.agent_terminals.named(id).filter(|display| display.reported.is_some());
        known.map(|display| target::of(id, display))
    })
}
