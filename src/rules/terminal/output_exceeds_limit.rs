use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/output-exceeds-limit",
    summary: "the client returns more output than the limit",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#executing-commands"),
        requires: "a client keeps at most the allowed number of bytes, and cuts between characters",
    }],
    requirements: &["terminal.whole-characters"],
    explanation: r"
The limit protects the agent's context. The client cuts at the beginning, between characters, and
sets `truncated`. So output may be shorter than the limit but never longer. Usually the client
counts characters instead of bytes.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make","outputByteLimit":4}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"output":"æøå","truncated":true}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make","outputByteLimit":4}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"output":"øå","truncated":true}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["terminal/output"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Terminal { id } = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let (limit, told) = session.terminals.named(id)?.limit?;
    let output = answer.result()?.get("output")?.text()?;
    // The JSON form of a text is never shorter than the decoded one.
    let written = u64::try_from(output.node().range().len()).ok()?;
    if written <= limit {
        return Some(Verdict::Pass);
    }
    let bytes = u64::try_from(output.len_bytes()).ok()?;
    if bytes <= limit {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("the client returns more output than the limit of {limit} bytes"))
            .at(output, format!("{bytes} bytes in UTF-8"))
            .at(told, "the limit")
            .help("count bytes, not characters, and cut at the beginning")
            .into(),
    )
}
