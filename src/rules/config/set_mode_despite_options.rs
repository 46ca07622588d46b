use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "config/set-mode-despite-options",
    summary: "the mode is set by `session/set_mode` although an option stands for it",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page(
            "protocol/v1/session-config-options#relationship-to-session-modes",
        ),
        requires: "a client that knows config options uses them instead of modes",
    }],
    requirements: &["config.use-options"],
    explanation: r"
`session/set_mode` will be removed from the protocol. A client that uses config options for one
setting and modes for another may show two values for the same setting.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"dig","name":"Dig"}]},"configOptions":[{"id":"model","name":"Model","type":"select","category":"model","currentValue":"small","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]},{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"model","value":"big"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"id":"model","name":"Model","type":"select","category":"model","currentValue":"big","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]},{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}
{"jsonrpc":"2.0","id":3,"method":"session/set_mode","params":{"sessionId":"s","modeId":"dig"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"Model","type":"select","category":"model","currentValue":"big","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]},{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"dig","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"dig","name":"Dig"}]},"configOptions":[{"id":"model","name":"Model","type":"select","category":"model","currentValue":"small","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]},{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"model","value":"big"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"id":"model","name":"Model","type":"select","category":"model","currentValue":"big","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]},{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}
{"jsonrpc":"2.0","id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"dig"}}
{"jsonrpc":"2.0","id":3,"result":{"configOptions":[{"id":"model","name":"Model","type":"select","category":"model","currentValue":"big","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]},{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"dig","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}"#,
    )],
    on: &[On::Call(&["session/set_mode", "session/set_config_option"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let list = session.config.known_to(connection.last_of(Side::Client))?;
    let option = list.options.iter().find(|option| option.is_mode)?;
    if call.method != "session/set_mode" {
        return Some(Verdict::Pass);
    }
    let earlier = connection.option_set?;
    Some(
        Finding::new("the client sets the mode by `session/set_mode`, although it uses options")
            .at(call.method, format!("the option `{}` stands for the mode", option.id))
            .at(earlier, "here the client sets an option")
            .at(option.at, "the option")
            .help("send `session/set_config_option`")
            .once_per("mode")
            .into(),
    )
}
