use crate::{rule::prelude::*, rules::base64};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/invalid-base64",
    summary: "terminal output is not valid base64",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#display-only-terminals"),
            requires: "output is base64 with the standard alphabet and padding, each chunk for \
                       itself",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Rfc("RFC 4648 §4"),
            requires: "the definition of base64",
        },
    ],
    requirements: &["terminal.base64"],
    explanation: r"
Clients decode each chunk separately and append the bytes. They cannot decode a chunk that is not
complete base64: strict clients drop it, and others lose bytes at the boundary. Each chunk needs its
own padding, not only the last one. A character may be split between two chunks.
",
    tck: &["PATCH-207"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"cGFzc2VkDQ"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"4pw="}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"kw=="}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[
        On::Update(&["terminal_update"], |update, _| {
            check(update.update.get("output")?.get("data")?)
        }),
        On::Update(&["terminal_output_chunk"], |update, _| check(update.update.get("data")?)),
    ],
    ..Rule::DEFAULT
};

fn check(data: Node<'_>) -> Option<Verdict> {
    let data = data.text()?;
    match base64::check(data) {
        Ok(()) => Some(Verdict::Pass),
        Err(fault) => Some(base64::finding(data, fault, "terminal output").into()),
    }
}
