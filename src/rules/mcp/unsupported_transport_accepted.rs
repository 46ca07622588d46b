use crate::{
    rule::prelude::*,
    rules::{
        capability::gate::{self, has_sessions},
        surface::newer_than_known::advertised,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/unsupported-transport-accepted",
    summary: "the agent accepts an MCP transport that it did not advertise",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("McpServer"),
        requires: "a server whose transport the agent does not support is refused with -32602",
    }],
    explanation: r"
The session begins as if all were well, and the tools of that server are missing: the client cannot
tell the user, and the model does not know what it lacks. What the client did wrong is reported
beside it.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Bare,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/tools"}]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"stdio","name":"tools","command":"/usr/bin/tools"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such transport"}}"#,
    )
    .beside(&["capability/mcp-transport", "ext/unprefixed-value", "mcp/sse-transport"])],
    on: &[On::Answer(&["session/new", "session/resume", "session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let servers = &answer.request.facts.equipment()?.transports;
    if servers.is_empty() || !has_sessions(connection) {
        return None;
    }
    let Some(result) = answer.result() else { return Some(Verdict::Pass) };
    let agent = gate::agent(connection);
    let denied = servers.iter().find_map(|(kind, at)| {
        let need = gate::transport(kind, connection);
        need.is_denied(kind, agent).then_some((kind, at, need.marker()))
    });
    let Some((kind, at, marker)) = denied else { return Some(Verdict::Pass) };
    // surface/newer-than-known
    if marker.is_none() && advertised(kind, Side::Agent, connection).is_some() {
        return None;
    }
    let message = match marker {
        Some(_) => {
            format!("the agent accepts the MCP transport `{kind}`, which it did not advertise")
        }
        None => format!("the agent accepts the unknown MCP transport `{kind}`"),
    };
    Some(
        Finding::new(message)
            .at(result, "accepted here")
            .at(*at, "asked for here")
            .and_at(agent.zip(marker).map(|(agent, marker)| marker.lack(agent)), "not advertised")
            .help("advertise the transport if it works, and refuse it with -32602 otherwise")
            .once_per(&**kind)
            .into(),
    )
}
