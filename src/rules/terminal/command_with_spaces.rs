use crate::{rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/command-with-spaces",
    summary: "a command holds its arguments in one string",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#executing-commands"),
        requires: "`command` is the program and `args` its arguments",
    }],
    explanation: r"
Some clients pass `command` to a shell, others start the program of that name: `npm test` works in
the one and is not found in the other. Arguments in `args` work everywhere; for a shell line, call
the shell.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"npm test"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make","args":["test"]}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["terminal/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let command = call.param("command")?.text()?;
    let text = command.as_cow();
    let has_arguments = call.param("args").is_some_and(|args| !args.is_empty());
    if has_arguments || !text.trim().contains(' ') || paths::is_absolute(&text) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("command `{text}` holds its arguments in one string"))
            .at(command, "a program with a space in its name to some clients")
            .help("split it into `command` and `args`, or run it by a shell: `sh`, `-c`, …")
            .once_per(())
            .into(),
    )
}
