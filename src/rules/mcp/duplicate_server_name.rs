use crate::{
    rule::prelude::*,
    rules::{mcp::servers, recent, repeated},
};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/duplicate-server-name",
    summary: "two MCP servers of one request have the same name",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("McpServerStdio"),
        requires: "`name` is unique among the servers of one request",
    }],
    requirements: &["mcp.unique-name"],
    explanation: r"
Users see only the name of a server, and many agents build the names of its tools from it. Two
servers with the same name cannot be told apart.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/mcp-tools"},{"type":"stdio","name":"tools","command":"/usr/bin/other"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/mcp-tools"},{"type":"stdio","name":"other","command":"/usr/bin/mcp-tools"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    variants: &[
        (Severity::Error, "with `--edition 2026-11-20`"),
        (Severity::Info, "with an earlier `--edition`"),
    ],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let names = servers::of(call).filter_map(|server| server.get("name")?.text());
    let findings = repeated::repeated(names).map(|(name, first)| {
        Finding::new(format!("two MCP servers have the name `{name}`"))
            .at(name, "the same name again")
            .at(first, "the first server")
            .help("give each server its own name")
            .as_severity(recent::severity(connection, Severity::Info))
            .once_per(&*name.as_cow())
    });
    servers::of(call).nth(1)?;
    Some(findings.collect())
}
