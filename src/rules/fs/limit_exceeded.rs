use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "fs/limit-exceeded",
    summary: "the client returns more lines than the agent asked for",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/file-system#reading-files"),
        requires: "`limit` is the maximum number of lines to return",
    }],
    explanation: r"
Agents ask for a few lines to save tokens, or to read a large file in pieces. Too many lines cost
tokens, and the next piece repeats lines that the agent already has.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a","limit":2}}
{"jsonrpc":"2.0","id":9,"result":{"content":"a\nb\nc\n"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a","limit":2}}
{"jsonrpc":"2.0","id":9,"result":{"content":"a\nb\n"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["fs/read_text_file"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let RequestFacts::ReadTextFile { limit: Some((limit, asked)) } = answer.request.facts else {
        return None;
    };
    let content = answer.result()?.get("content")?.text()?;
    let lines = content.lines();
    if lines <= limit {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("the client returns more lines than the limit of {limit}"))
            .at(content, format!("{lines} lines"))
            .at(asked, "the limit")
            .help("return at most `limit` lines")
            .into(),
    )
}
