use crate::{map::Map, model::connection::mcp, rule::prelude::*, rules::mcp::servers};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/duplicate-acp-server-id",
    summary: "two MCP servers over ACP have the same id",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("McpServerAcp"),
        requires: "`serverId` names one server of the connection",
    }],
    requirements: &["mcp.server-id"],
    explanation: r"
A message to a server holds only this id. If two servers have it, one gets the messages for the
other. The client may declare the same server again for the same session.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"},{"type":"acp","name":"more tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"},{"type":"acp","name":"more tools","serverId":"srv-2"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    variants: &[(Severity::Warning, "where another session has the same server")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let mut entries =
        servers::of(call).filter_map(|entry| Some((mcp::server_id(entry)?, entry))).peekable();
    entries.peek()?;
    let mut seen: Map<_, Text<'_>> = Map::default();
    let mut findings = Vec::new();
    for (id, entry) in entries {
        if findings.len() == Verdict::MOST {
            break;
        }
        let message = format!("two MCP servers have the id `{id}`");
        if let Some(first) = seen.get(&id.as_cow()) {
            findings.push(
                Finding::new(message)
                    .at(id, "the same id again")
                    .at(*first, "the first server")
                    .help("give each server its own id"),
            );
            continue;
        }
        seen.insert(id.as_cow(), id);
        let Some(known) = connection.mcp.get(id) else { continue };
        if known.is(entry) && known.is_of(call.session_id()) {
            continue;
        }
        let finding = Finding::new(message)
            .at(id, "the same id again")
            .at(known.at, "first declared here")
            .help("give each server its own id");
        // An equal server of another session may be intended.
        let is_same = known.is(entry);
        findings.push(finding.as_severity_if(is_same, Severity::Warning));
    }
    Some(findings.into_iter().collect())
}
