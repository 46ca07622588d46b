use crate::{
    model::session::config,
    rule::prelude::*,
    rules::{config::lists, repeated},
};

pub(crate) static RULE: Rule = Rule {
    id: "config/duplicate-id",
    summary: "two options of one list have the same id",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#configoption"),
            requires: "each option has its own id",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionConfigOption"),
            requires: "`configId` is unique in the list",
        },
    ],
    requirements: &["config.unique-id"],
    explanation: r"
Clients identify options by their ids. If two options have the same id, clients show only one, or
change both together. A request with this id does not say which option it means.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"mode","name":"Mode","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"speed","name":"Speed","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"configId":"mode","name":"Mode","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"configId":"speed","name":"Speed","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}"#,
        ),
    ],
    on: &[
        On::Answer(lists::METHODS, |answer, _| judged(config::listed(answer)?)),
        On::Update(lists::UPDATES, |update, _| judged(config::reported(update)?)),
    ],
    ..Rule::DEFAULT
};

fn judged(list: Node<'_>) -> Option<Verdict> {
    if list.is_empty() {
        return None;
    }
    let repeated = repeated::repeated(list.elements().filter_map(config::id));
    let findings = repeated.map(|(id, first)| {
        Finding::new(format!("two options have the id `{id}`"))
            .at(id, "the same id again")
            .at(first, "the first option")
            .help("give each option of a session its own id")
            .once_per(&*id.as_cow())
    });
    Some(findings.collect())
}
