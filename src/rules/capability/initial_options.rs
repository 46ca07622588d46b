use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/initial-options",
    summary: "the client sets config options when it starts a session, but the agent did not \
              advertise that",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("NewSessionRequest"),
            requires: "a client sends `configOptions` only to agents that advertise the capability `options`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("InitialSessionConfigOption"),
            requires: "only clients that advertise boolean options send boolean values",
        },
    ],
    requirements: &["capability.gated-params"],
    explanation: r"
An agent that does not know the member starts the session with its own values. The user believes
that the chosen values are in force. With such an agent, set each option with
`session/set_config_option`.
",
    examples: &[
        Example::new(
            Surface::V1Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"configOptions":[{"configId":"model","value":"large"}]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"options":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"configOptions":[{"configId":"model","value":"large"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"large","options":[{"value":"large","name":"Large"}]}]}}"#,
        ),
        Example::new(
            Surface::V2Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","configOptions":[{"configId":"model","type":"id","value":"large"}]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"options":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","configOptions":[{"configId":"model","type":"id","value":"large"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"large","options":[{"value":"large","name":"Large"}]}]}}"#,
        ),
    ],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

/// The finding for a boolean option in `session/new` from a client that does not advertise boolean
/// options, on version 1; else `None`.
fn boolean(options: Node<'_>, connection: &Connection) -> Option<Finding> {
    const BOOLEAN: Capability = Capability::Object("session.configOptions.boolean");
    let client =
        needs::advertised_by_client(connection).filter(|client| BOOLEAN.is_missing_from(client));
    let client = client.filter(|_| connection.version() == Some(Version::V1))?;
    let mut kinds = options.elements().filter_map(|option| option.get("type"));
    let kind = kinds.find(|kind| kind.is("boolean"))?;
    let finding =
        Finding::new("the client sets a boolean option, but did not advertise boolean options")
            .at(kind, format!("requires the capability `{}`", BOOLEAN.path()))
            .at(BOOLEAN.lack(client), "not advertised")
            .help("advertise boolean options, or leave the value out")
            .once_per("boolean");
    Some(finding)
}

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection).filter(|_| has_sessions(connection))?;
    let capability = needs::session_options(connection);
    let options = call.param("configOptions").filter(|options| !options.is_null())?;
    if !capability.is_missing_from(agent) {
        return Some(Verdict::from(boolean(options, connection)));
    }
    Some(
        Finding::new(
            "the client sets initial config options, but the agent did not advertise that",
        )
        .at(options, format!("requires the capability `{}`", capability.path()))
        .at(capability.lack(agent), "not advertised")
        .help("set them with `session/set_config_option` after the session has started")
        .once_per("initial options")
        .into(),
    )
}
