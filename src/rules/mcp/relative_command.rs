use crate::{
    rule::prelude::*,
    rules::{mcp::servers, paths},
};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/relative-command",
    summary: "the command of an MCP server is not an absolute path",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Info, Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#stdio-transport"),
            requires: "`command` is the absolute path of the executable",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("McpServerStdio"),
            requires: "`command` is an absolute path",
        },
    ],
    explanation: r"
The agent starts the server in its own directory and with its own `PATH`, which may differ from the
client's. With a bare name it finds another program, or none. On version 1, bare names such as `npx`
are common and usually work.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"name":"tools","command":"mcp-tools","args":[],"env":[]}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"name":"tools","command":"/usr/bin/mcp-tools","args":[],"env":[]}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"mcp-tools"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/mcp-tools"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
    ],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let commands = servers::of(call)
        .filter(|server| server.get("type").is_none_or(|kind| kind.is("stdio")))
        .filter_map(|server| server.get("command")?.text());
    Verdict::on_each(commands, |command| {
        (!paths::is_absolute(&command.as_cow())).then(|| {
            Finding::new(format!("the MCP server command `{command}` is not an absolute path"))
                .at(command, "not absolute")
                .help("send the full path of the executable")
                .once_per(&*command.as_cow())
                .unless_masked(paths::is_masked(&command.as_cow()))
        })
    })
}
