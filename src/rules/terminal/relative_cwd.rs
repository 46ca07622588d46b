use crate::{rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/relative-cwd",
    summary: "the working directory of a terminal is not absolute",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/terminals#executing-commands"),
            requires: "the working directory of a command is an absolute path",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("TerminalUpdate"),
            requires: "the working directory of a terminal is an absolute path",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#display-only-terminals"),
            requires: "paths are absolute",
        },
    ],
    requirements: &["terminal.cwd"],
    explanation: r"
On version 1 the client starts the command there, and a relative directory depends on where the
client itself was started. On version 2 it only shows where the command ran, and the user cannot
find a relative directory.
",
    tck: &["PATCH-206"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make","cwd":"build"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make","cwd":"/work/build"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls","cwd":".","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls","cwd":"/work","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Call(&["terminal/create"], created), On::Update(&["terminal_update"], shown)],
    ..Rule::DEFAULT
};

fn created(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let is_v1 = connection.version() == Some(Version::V1);
    is_v1.then(|| check(call.param("cwd")?))?
}

fn shown(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let is_v2 = connection.version() == Some(Version::V2);
    is_v2.then(|| check(update.update.get("cwd")?))?
}

fn check(cwd: Node<'_>) -> Option<Verdict> {
    let message = |path: &str| paths::not_absolute("the terminal's working directory", path);
    Some(paths::relative(cwd.text()?, message).into())
}
