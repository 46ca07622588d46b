use crate::{
    rule::prelude::*,
    rules::{capability::needs, paths},
};

pub(crate) static RULE: Rule = Rule {
    id: "fs/relative-path",
    summary: "a file path is not absolute",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#argument-requirements"),
            requires: "every file path is absolute",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/file-system#reading-files"),
            requires: "the path of the file to read is absolute",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/file-system#writing-files"),
            requires: "the path of the file to write is absolute",
        },
    ],
    requirements: &["path.absolute"],
    explanation: r"
The client has many directories open and does not know which one the agent means. Most clients
refuse a relative path. Some read the file in another directory, or create it there.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"notes.md"}}
{"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"Not absolute"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/notes.md"}}
{"jsonrpc":"2.0","id":9,"result":{"content":""}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["fs/read_text_file", "fs/write_text_file"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let path = call.param("path")?.text()?;
    if needs::client_lacks(&call.method.as_cow(), connection) {
        return None;
    }
    let text = path.as_cow();
    if paths::is_absolute(&text) {
        return Some(Verdict::Pass);
    }
    let verb = if call.method == "fs/read_text_file" { "reads" } else { "writes" };
    Some(
        Finding::new(format!("the agent {verb} `{text}`, which is not an absolute path"))
            .at(path, "not absolute")
            .help(paths::advice(&text))
            .unless_masked(paths::is_masked(&text))
            .into(),
    )
}
