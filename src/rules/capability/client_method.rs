use crate::{rule::prelude::*, rules::capability::needs};

pub(crate) static RULE: Rule = Rule {
    id: "capability/client-method",
    summary: "the agent calls a method that the client did not advertise",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#client-capabilities"),
            requires: "what the client does not advertise, it does not support",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/file-system#checking-support"),
            requires: "an agent checks the capability before it reads or writes files through the client",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/terminals#checking-support"),
            requires: "an agent checks the capability before it uses terminals",
        },
    ],
    requirements: &["capability.client-methods", "capability.omitted-is-unsupported"],
    explanation: r"
A client without the capability has no handler for the method. It answers -32601, and the tool that
needed the method fails. An agent that works with every client does the work itself in this case.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":0,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/a","content":""}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a"}}
{"jsonrpc":"2.0","id":0,"result":{"content":""}}"#,
    )],
    on: &[On::Call(
        &[
            "fs/read_text_file",
            "fs/write_text_file",
            "terminal/create",
            "terminal/output",
            "terminal/release",
            "terminal/wait_for_exit",
            "terminal/kill",
        ],
        check,
    )],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let client = needs::advertised_by_client(connection)?;
    let method = call.method.as_cow();
    let capability = needs::client_method(&method);
    let path = capability.path();
    if !capability.is_missing_from(client) {
        // What was advertised tells nothing of what was left out.
        return Some(Verdict::PassOf(&["capability.client-methods"]));
    }
    Some(
        Finding::new(format!(
            "the agent calls `{method}`, but the client did not advertise `{path}`"
        ))
        .at(call.method, format!("requires the capability `{path}`"))
        .at(capability.lack(client), "not advertised")
        .help("if the client lacks the capability, do the work in the agent")
        .explains(call.node)
        .once_per(path)
        .into(),
    )
}
