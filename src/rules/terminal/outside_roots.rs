use crate::{rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/outside-roots",
    summary: "a command runs outside the session's directories",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[paths::WITHIN_ROOTS],
    requirements: &["session.root-boundary"],
    explanation: r"
A client shows the user which directories an agent works in. This rule is a policy for those who watch
what agents touch: it is off by default, and `--profile audit` selects it. It speaks of the directory
in which a command starts, and compares names only. It cannot see where links lead, what a command
does, or commands that an agent runs itself.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"s","command":"ls","args":[],"cwd":"/etc"}}
{"jsonrpc":"2.0","id":9,"result":{"terminalId":"t9"}}
{"jsonrpc":"2.0","id":10,"method":"terminal/release","params":{"sessionId":"s","terminalId":"t9"}}
{"jsonrpc":"2.0","id":10,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"s","command":"ls","args":[],"cwd":"/work/lakes"}}
{"jsonrpc":"2.0","id":9,"result":{"terminalId":"t9"}}
{"jsonrpc":"2.0","id":10,"method":"terminal/release","params":{"sessionId":"s","terminalId":"t9"}}
{"jsonrpc":"2.0","id":10,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["terminal/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let path = call.param("cwd")?.text()?;
    paths::outside(path, session, |path| {
        format!("a command runs in `{path}`, outside the session's directories")
    })
}
