use crate::{rule::prelude::*, rules::capability::needs};

pub(crate) static RULE: Rule = Rule {
    id: "fs/line-zero",
    summary: "the agent reads a file from line 0",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#argument-requirements"),
            requires: "line numbers start at 1",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/file-system#reading-files"),
            requires: "`line` is the number of the first line to read",
        },
    ],
    explanation: r"
There is no line 0. Clients read it as line 1, as the line before the first (and return one line too
few), or as a mistake. The schema allows the number, so no `schema` rule reports it.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a","line":0}}
{"jsonrpc":"2.0","id":9,"result":{"content":""}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a","line":1}}
{"jsonrpc":"2.0","id":9,"result":{"content":""}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["fs/read_text_file"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let line = call.param("line").filter(|line| line.is_number())?;
    if needs::client_lacks("fs/read_text_file", connection) {
        return None;
    }
    if line.integer()? != 0 {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the agent reads a file from line 0")
            .at(line, "the first line is line 1")
            .help("use line 1, or leave `line` out to read from the beginning")
            .into(),
    )
}
