use crate::{
    rule::prelude::*,
    rules::capability::gate::{self, has_sessions},
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
            requires: "only stdio servers may be given to any agent",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#checking-transport-support"),
            requires: "each transport, stdio too, is used only when it is advertised",
        },
    ],
    explanation: r"
An agent that cannot speak the transport starts the session without the server's tools, or refuses
to start it. Version 2 made stdio a capability like the others; clients that come from version 1
tend to overlook that.
",
    tck: &["MCP-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"http","name":"docs","url":"https://example.com/mcp","headers":[]}]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"name":"tools","command":"/usr/bin/tools","args":[],"env":[]}]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/tools"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such transport"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
    ],
    on: &[On::Call(&["session/new", "session/load", "session/resume", "session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = gate::agent(connection)?;
    let servers = call.param("mcpServers").filter(|servers| servers.is_array())?;
    if !has_sessions(connection) {
        return None;
    }
    let kinds = servers.elements().filter_map(|server| server.get("type")?.text());
    let unfit = kinds.filter_map(|kind| {
        let marker = gate::transport(&kind.as_cow(), connection).marker()?;
        (!marker.is_in(agent)).then(|| {
            let finding =
                Finding::new(format!("the agent did not advertise the MCP transport `{kind}`"))
                    .at(kind, format!("rests on the capability `{}`", marker.path()))
                    .at(marker.lack(agent), "not advertised")
                    .once_per(&*kind.as_cow());
            if kind == "stdio" {
                finding.help(
                    "every agent of version 1 takes stdio servers; on version 2 it has to say so",
                )
            } else {
                finding
            }
        })
    });
    Some(unfit.collect())
}
