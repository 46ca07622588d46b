use crate::{
    rule::prelude::*,
    rules::{accepted, capability::needs},
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
    requirements: &["mcp.unsupported-refused"],
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
    on: &[On::Answer(methods::SET_UP_SESSION_ON_V2, check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let values = accepted::Values {
        all: &answer.request.facts.equipment()?.transports,
        need: needs::transport,
        label: "the server in the request",
        help: "advertise the transport if it works; otherwise refuse it with error -32602",
    };
    values.check(answer, connection, |kind, is_defined| {
        if is_defined {
            format!("the agent accepts the MCP transport `{kind}`, but did not advertise it")
        } else {
            format!("the agent accepts the unknown MCP transport `{kind}`")
        }
    })
}
