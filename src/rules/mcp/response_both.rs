use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "mcp/response-both",
    summary: "an inner MCP response has both a result and an error, or neither",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("MessageMcpResponse"),
        requires: "the inner response has either a result or an error",
    }],
    requirements: &["mcp.one-outcome"],
    explanation: r"
A reader that looks for the result first sees a success. A reader that looks for the error first
sees a failure.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a1","result":{"result":{},"error":{"code":-32603,"message":"Failed"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a1","result":{"result":null}}"#,
    )],
    on: &[On::Answer(&["mcp/message"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let response = answer.result()?;
    let result = response.get("result");
    let error = response.get("error").filter(|error| !error.is_null());
    let (Some(result), Some(error)) = (result, error) else { return Some(Verdict::Pass) };
    Some(
        Finding::new("an inner MCP response has both a result and an error")
            .at(result, "a result")
            .at(error, "and an error")
            .help("send only what the server sent")
            .explains(response)
            .into(),
    )
}
