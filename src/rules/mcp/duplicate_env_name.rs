use crate::{
    rule::prelude::*,
    rules::{mcp::servers, repeated},
};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/duplicate-env-name",
    summary: "an MCP server gives one environment variable twice",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("McpServerStdio"),
        requires: "the names in `env` differ from each other",
    }],
    requirements: &["mcp.unique-env"],
    explanation: r"
Which of the two values the server gets depends on the agent and the operating system.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/mcp-tools","env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/mcp-tools","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let mut lists = servers::of(call).filter_map(|server| server.get("env")).peekable();
    lists.peek()?;
    let repeated = lists.flat_map(|list| {
        repeated::repeated(list.elements().filter_map(|variable| variable.get("name")?.text()))
    });
    let findings = repeated.map(|(name, first)| {
        Finding::new(format!("environment variable `{name}` is given twice"))
            .at(name, "the second value")
            .at(first, "the first value")
            .help("give each variable once")
            .once_per(&*name.as_cow())
    });
    Some(findings.collect())
}
