use crate::{rule::prelude::*, rules::capability::crossing};

pub(crate) static RULE: Rule = Rule {
    id: "capability/terminal-cancel",
    summary: "the client cancels a terminal that does not offer it",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#cancelling-terminals"),
            requires: "a client cancels only terminals that offer `cancel`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CancelTerminalRequest"),
            requires: "the terminal has the capability `cancel`",
        },
    ],
    requirements: &["terminal.cancel-allowed"],
    explanation: r"
Only the agent knows whether one terminal can be stopped on its own, and it says so for each
terminal. If it does not offer `cancel`, or no longer, the request fails.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"cargo watch","cwd":"/work"}}}
{"jsonrpc":"2.0","id":3,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"cargo watch","cwd":"/work","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","id":3,"method":"terminal/cancel","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":130}}}}"#,
    )],
    on: &[On::Call(&["terminal/cancel"], check)],
    variants: &[(Severity::Info, "where the messages may have crossed")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let id = call.param("terminalId")?.text()?;
    let terminal = session.agent_terminals.get(id).filter(|_| session.is_fully_recorded())?;
    if terminal.cancellation.offered.is_some() {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new(format!("the client cancels terminal `{id}`, which does not offer `cancel`"))
            .at(id, "requires its capability `cancel`")
            .at(terminal.last, "its last update");
    Some(crossing::softened(finding, call, &terminal.cancellation).into())
}
