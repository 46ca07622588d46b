use crate::{rule::prelude::*, rules::mcp::servers};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/missing-type",
    summary: "an MCP server has no `type`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#mcp-server-configuration"),
            requires: "every server names its transport, also `stdio`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("McpServer"),
            requires: "`type` is required",
        },
    ],
    explanation: r"
On version 1, a server without a type was a `stdio` server. On version 2 the agent does not know
what it is, and drops it or refuses the request.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"name":"tools","command":"/usr/bin/mcp-tools","args":[],"env":[]}]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"type"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/mcp-tools"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    Verdict::on_each(servers::of(call).filter(|server| server.is_object()), |server| {
        server.get("type").is_none().then(|| {
            Finding::new("an MCP server has no `type`")
                .at(server, "`type` is missing here")
                .help("add `\"type\":\"stdio\"` if the server is started by a command")
                .explains(server)
        })
    })
}
