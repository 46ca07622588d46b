use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/mcp-transport",
    summary: "an MCP server uses a transport that the agent did not advertise",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#checking-transport-support"),
            requires: "every agent takes stdio servers; other transports must be advertised",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#checking-transport-support"),
            requires: "a client uses a transport, also stdio, only if the agent advertised it",
        },
    ],
    requirements: &["capability.mcp-transport"],
    explanation: r"
An agent that does not support the transport refuses to start the session, or starts it without the
tools of the server. On version 2 `stdio` is a capability like the others; clients written for
version 1 often forget that.
",
    tck: &["MCP-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"http","name":"docs","url":"https://example.com/mcp","headers":[]}]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"http","name":"docs","url":"https://example.com/mcp","headers":[]}]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/tools"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such transport"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/tools"}]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
    ],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection)?;
    let servers = call.param("mcpServers").filter(|servers| servers.is_array())?;
    if !has_sessions(connection) {
        return None;
    }
    let transports = servers.elements().filter_map(|server| {
        let kind = server.get("type")?.text()?;
        Some((kind, needs::transport(&kind.as_cow(), connection).capability()?))
    });
    Verdict::on_each(transports, |(kind, capability)| {
        capability.is_missing_from(agent).then(|| {
            let finding = Finding::new(format!(
                "an MCP server uses `{kind}`, but the agent did not advertise this transport"
            ))
            .at(kind, format!("requires the capability `{}`", capability.path()))
            .at(capability.lack(agent), "not advertised")
            .once_per(&*kind.as_cow());
            if kind == "stdio" {
                finding.help(
                    "version 1 agents always support stdio; version 2 agents must advertise it",
                )
            } else {
                finding
            }
        })
    })
}
