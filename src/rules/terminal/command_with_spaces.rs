use crate::{rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/command-with-spaces",
    summary: "`command` contains the arguments too",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#executing-commands"),
        requires: "`command` is the program and `args` are its arguments",
    }],
    explanation: r"
Some clients pass `command` to a shell, and others start the program with that name. `npm test`
works with the first but is not found by the others. Arguments in `args` work everywhere. For a
shell command line, start the shell.
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
        Finding::new(format!("command `{text}` contains the arguments too"))
            .at(command, "some clients look for a program with this name")
            .help("split it into `command` and `args`, or run it in a shell: `sh`, `-c`, …")
            .once_per(())
            .unless_masked(paths::is_masked(&text))
            .into(),
    )
}
