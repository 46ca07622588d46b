use crate::{
    model::session::config,
    rule::prelude::*,
    rules::{config::lists, recent, repeated},
};

pub(crate) static RULE: Rule = Rule {
    id: "config/duplicate-group-id",
    summary: "two groups of one option have the same id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SessionConfigSelectGroup"),
        requires: "`groupId` is unique in its option",
    }],
    requirements: &["config.unique-group"],
    explanation: r"
Clients identify groups by their ids. Two groups with the same id become one group, or open and
close together.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"m1","options":[{"groupId":"fast","name":"FAST","options":[{"value":"m1","name":"M1"}]},{"groupId":"fast","name":"FAST","options":[{"value":"m2","name":"M2"}]}]}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"m1","options":[{"groupId":"fast","name":"FAST","options":[{"value":"m1","name":"M1"}]},{"groupId":"smart","name":"SMART","options":[{"value":"m2","name":"M2"}]}]}]}}"#,
    )],
    on: &[
        On::Answer(lists::METHODS, |answer, connection| {
            judged(config::listed(answer)?, connection)
        }),
        On::Update(lists::UPDATES, |update, connection| {
            judged(config::reported(update)?, connection)
        }),
    ],
    variants: &[(Severity::Error, "with `--edition 2026-11-20`")],
    ..Rule::DEFAULT
};

fn judged(list: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let groups = |option: Node<'_>| groups(option).count() > 0;
    list.elements().find(|option| groups(*option))?;
    let findings = list.elements().flat_map(|option| repeated::repeated(self::groups(option)));
    let findings = findings.map(|(id, first)| {
        Finding::new(format!("two groups of one option have the id `{id}`"))
            .at(id, "the same id again")
            .at(first, "the first group")
            .help("give each group of an option its own id")
            .as_severity(recent::severity(connection, Severity::Warning))
            .once_per(&*id.as_cow())
    });
    Some(findings.collect())
}

fn groups(option: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    let entries = option.get("options").into_iter().flat_map(Node::elements);
    entries.filter_map(|entry| entry.get("groupId")?.text())
}
