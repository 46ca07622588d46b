use crate::{model::session::terminals::TerminalState, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/duplicate-id",
    summary: "a new terminal gets the id of a terminal that still exists",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#executing-commands"),
        requires: "a new terminal gets a unique id",
    }],
    explanation: r"
If two terminals have the same id, their output, exit status and release are mixed up. An id may be
used again after its terminal is released.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":11,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":20,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":20,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":21,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":21,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["terminal/create"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let id = answer.result()?.get("terminalId")?.text()?;
    let live = session.terminals.get(id).filter(|terminal| terminal.tenure == TerminalState::Live);
    let Some(live) = live else { return Some(Verdict::Pass) };
    Some(
        Finding::new(format!("a new terminal gets the id `{id}`, which another terminal has"))
            .at(id, "in use")
            .at(live.named, "the other terminal, not released yet")
            .into(),
    )
}
