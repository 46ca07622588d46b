use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "mcp/undeclared-server",
    summary: "a message names an MCP server that was not declared",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("MessageMcpRequest"),
            requires: "`serverId` is the id of a server that the client declared",
        },
        Citation {
            version: None,
            source: SourceText::Definition("MessageMcpNotification"),
            requires: "`serverId` is the id of a server that the client declared",
        },
    ],
    explanation: r"
The receiver does not know which server the message is for. The client declares servers with the
type `acp` in `mcpServers`, when it starts a session.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a1","error":{"code":-32602,"message":"Unknown server"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a1","result":{"result":{}}}"#,
    )],
    on: &[On::Call(&["mcp/message"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("serverId")?.text()?;
    if connection.mcp.get(id).is_some() {
        return Some(Verdict::Pass);
    }
    // Proxies declare servers that are not on record.
    if !connection.head_is_complete()
        || connection.is_proxied()
        || connection.lost_to(call.sender) > 0
    {
        return None;
    }
    Some(
        Finding::new(format!("a message names MCP server `{id}`, which was never declared"))
            .at(id, "no such server")
            .help("use the `serverId` of a declared server with the type `acp`")
            .once_per(&*id.as_cow())
            .into(),
    )
}
