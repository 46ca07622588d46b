use crate::{rule::prelude::*, rules::capability::gate};

pub(crate) static RULE: Rule = Rule {
    id: "fs/line-zero",
    summary: "a file is read from line 0",
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
There is no line 0. Clients take it for 1, for the line before the first (and return one line too
few), or for a mistake. The schema allows the number, so nothing else complains.
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
    if gate::client_lacks("fs/read_text_file", connection) {
        return None;
    }
    if line.integer()? != 0 {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("a file is read from line 0")
            .at(line, "lines are counted from 1")
            .help("add 1, or leave `line` out to read from the beginning")
            .into(),
    )
}
