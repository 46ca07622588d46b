use crate::{
    model::{RequestFacts, session::terminals},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/exit-status-changed",
    summary: "a terminal exits with two different codes",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#waiting-for-exit"),
        requires: "a command exits once, with one code",
    }],
    explanation: r"
If an agent sees 0 first and 2 later, it cannot know whether the command succeeded. Usually one of
the two is made up, such as 0 for a process that was ended by a signal.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"exitCode":0}}
{"jsonrpc":"2.0","id":12,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":12,"result":{"output":"ok\n","truncated":false,"exitStatus":{"exitCode":2}}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"output":"ok\n","truncated":false}}
{"jsonrpc":"2.0","id":12,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":12,"result":{"exitCode":0}}
{"jsonrpc":"2.0","id":13,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":13,"result":{"output":"ok\n","truncated":false,"exitStatus":{"exitCode":0}}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["terminal/output", "terminal/wait_for_exit"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Terminal { id } = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let (code, node) = terminals::exit_code(answer)?;
    let terminal = session.terminals.named(id)?;
    let Some((known, at)) = terminal.exit.filter(|(known, _)| *known != code) else {
        return Some(Verdict::Pass);
    };
    Some(
        Finding::new(format!(
            "terminal `{id}` exits with {code}, but it exited with {known} before"
        ))
        .at(node, "another code")
        .at(at, "the first code")
        .once_per((answer.request.session_id.as_deref(), &**id))
        .into(),
    )
}
