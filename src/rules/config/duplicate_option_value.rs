use crate::{
    model::session::config,
    rule::prelude::*,
    rules::{config::lists, repeated},
};

pub(crate) static RULE: Rule = Rule {
    id: "config/duplicate-option-value",
    summary: "one option offers the same value twice",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SessionConfigSelect"),
        requires: "the values of one option are different from each other, also across groups",
    }],
    requirements: &["config.values-unique"],
    explanation: r"
The client sends the value back, and compares it with the current value. If two entries have the
same value, clients show both as chosen, and nobody can tell them apart.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"},{"value":"ask","name":"Ask"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"m1","options":[{"groupId":"fast","name":"FAST","options":[{"value":"m1","name":"M1"}]},{"groupId":"smart","name":"SMART","options":[{"value":"m1","name":"M1"}]}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"m1","options":[{"groupId":"fast","name":"FAST","options":[{"value":"m1","name":"M1"}]},{"groupId":"smart","name":"SMART","options":[{"value":"m2","name":"M2"}]}]}]}}"#,
        ),
    ],
    on: &[
        On::Answer(lists::METHODS, |answer, _| judged(config::listed(answer)?)),
        On::Update(lists::UPDATES, |update, _| judged(config::reported(update)?)),
    ],
    ..Rule::DEFAULT
};

fn judged(list: Node<'_>) -> Option<Verdict> {
    let mut options = list.elements().filter_map(|option| Some((config::id(option)?, option)));
    let mut selects =
        options.by_ref().filter(|(_, option)| config::values(*option).count() > 1).peekable();
    selects.peek()?;
    let findings = selects.flat_map(|(id, option)| {
        repeated::repeated(config::values(option)).map(move |(value, first)| {
            Finding::new(format!("option `{id}` offers the value `{value}` twice"))
                .at(value, "the same value again")
                .at(first, "first offered here")
                .help("offer each value once")
                .once_per((&*id.as_cow(), &*value.as_cow()))
        })
    });
    Some(findings.collect())
}
