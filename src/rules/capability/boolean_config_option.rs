use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/boolean-config-option",
    summary: "the agent sends a boolean option to a client that did not advertise boolean options",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::INITIALIZED),
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/session-config-options#boolean-config-options"),
        requires: "an agent sends boolean options only to clients that advertise them",
    }],
    requirements: &["config.boolean-advertised"],
    explanation: r"
Older clients know only options with a list of values. They drop a boolean option, or cannot read
the whole list, so the user cannot set anything. A list of two values works everywhere.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"web","name":"Web search","type":"boolean","currentValue":true}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"configOptions":{"boolean":{}}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"web","name":"Web search","type":"boolean","currentValue":true}]}}"#,
    )],
    on: &[
        On::Update(&["config_option_update"], |update, connection| {
            check(update.update, connection)
        }),
        On::Answer(
            &[
                "session/new",
                "session/load",
                "session/resume",
                "session/fork",
                "session/options",
                "session/set_config_option",
            ],
            |answer, connection| check(answer.result()?, connection),
        ),
    ],
    ..Rule::DEFAULT
};

const CAPABILITY: Capability = Capability::Object("session.configOptions.boolean");

fn check(holder: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let client = needs::advertised_by_client(connection)?;
    let options = holder.get("configOptions").filter(|options| options.is_array())?;
    let mut kinds = options.elements().filter_map(|option| option.get("type"));
    let kind = kinds.find(|kind| kind.is("boolean"))?;
    let finding = CAPABILITY.is_missing_from(client).then(|| {
        Finding::new(
            "the agent sends a boolean option, but the client did not advertise boolean options",
        )
        .at(kind, format!("requires the capability `{}`", CAPABILITY.path()))
        .at(CAPABILITY.lack(client), "not advertised")
        .help("offer a `select` option with two values instead")
        .once_per("boolean")
    });
    Some(finding.into())
}
