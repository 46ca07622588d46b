use crate::{rule::prelude::*, rules::mcp::servers};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/sse-transport",
    summary: "an MCP server uses the removed SSE transport",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/migration#mcp-server-configuration"),
        requires: "the transport `sse` was removed",
    }],
    explanation: r"
MCP itself gave up this transport, and version 2 removed it. Agents refuse the server because its
type is unknown. Most such servers also support `http`.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"sse","name":"web","url":"https://mcp.example.com/sse"}]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"sse"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"http","name":"web","url":"https://mcp.example.com"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    Verdict::on_each(servers::of(call).filter_map(|server| server.get("type")), |kind| {
        kind.is("sse").then(|| {
            Finding::new("an MCP server uses the removed transport `sse`")
                .at(kind, "removed in version 2")
                .help("use `http` instead")
                .explains(kind)
        })
    })
}
