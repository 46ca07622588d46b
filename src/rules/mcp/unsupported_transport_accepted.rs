use crate::{
    rule::prelude::*,
    rules::{
        capability::needs::{self, has_sessions},
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
        requires: "the agent refuses a server whose transport it does not support, with error -32602",
    }],
    explanation: r"
The session starts as if everything worked, but the tools of that server are missing. The client
cannot tell the user, and the model does not know what it lacks. What the client did wrong is a
separate finding.
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
    let agent = needs::advertised_by_agent(connection);
    let denied = servers.iter().find_map(|(kind, at)| {
        let need = needs::transport(kind, connection);
        need.is_denied(kind, agent).then_some((kind, at, need.capability()))
    });
    let Some((kind, at, capability)) = denied else { return Some(Verdict::Pass) };
    // surface/newer-than-known
    if capability.is_none() && advertised(kind, Side::Agent, connection).is_some() {
        return None;
    }
    let message = match capability {
        Some(_) => {
            format!("the agent accepts the MCP transport `{kind}`, but did not advertise it")
        }
        None => format!("the agent accepts the unknown MCP transport `{kind}`"),
    };
    Some(
        Finding::new(message)
            .at(result, "accepted here")
            .at(*at, "the server in the request")
            .and_at(
                agent.zip(capability).map(|(agent, capability)| capability.lack(agent)),
                "not advertised",
            )
            .help("advertise the transport if it works; otherwise refuse it with error -32602")
            .once_per(&**kind)
            .into(),
    )
}
