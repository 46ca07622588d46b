use crate::{model::session::config, rule::prelude::*, rules::config::lists};

pub(crate) static RULE: Rule = Rule {
    id: "config/current-value-not-offered",
    summary: "the current value of an option is not one of its values",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page(
                "protocol/v1/session-config-options#default-values-and-graceful-degradation",
            ),
            requires: "an option always has a current value, which is one of its values",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionConfigSelect"),
            requires: "`currentValue` is one of the values that the option offers",
        },
    ],
    requirements: &["config.has-default"],
    explanation: r"
A client looks up the name of the current value in the list and does not find it. It shows nothing,
the bare id, or the wrong value. Offer the current value as long as it is in force.
",
    tck: &["CONFIG-204"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"plan","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"plan","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        ),
    ],
    on: &[
        On::Answer(lists::METHODS, |answer, _| judged(config::listed(answer)?)),
        On::Update(lists::UPDATES, |update, _| judged(config::reported(update)?)),
    ],
    ..Rule::DEFAULT
};

fn judged(list: Node<'_>) -> Option<Verdict> {
    let selects =
        list.elements().filter(|option| option.get("type").is_some_and(|kind| kind.is("select")));
    Verdict::on_each(selects, not_offered)
}

fn not_offered(option: Node<'_>) -> Option<Finding> {
    let current = option.get("currentValue")?.text()?;
    let options = option.get("options")?;
    let mut values = config::values(option).peekable();
    values.peek()?;
    if values.any(|value| value == current) {
        return None;
    }
    let id = config::id(option)?;
    Some(
        Finding::new(format!(
            "option `{id}` has the current value `{current}` but does not offer it"
        ))
        .at(current, "not one of the values")
        .at(options, "the values of the option")
        .help("offer the value as long as it is the current value")
        .once_per((&*id.as_cow(), &*current.as_cow())),
    )
}
