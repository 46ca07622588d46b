use crate::{
    rule::prelude::*,
    rules::{command::names, repeated},
};

pub(crate) static RULE: Rule = Rule {
    id: "command/duplicate-name",
    summary: "two commands of one list have the same name",
    level: By::each(Level::Hint, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/slash-commands#availablecommand"),
            requires: "the name identifies a command",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Command"),
            requires: "names are unique within a list",
        },
    ],
    requirements: &["command.name"],
    explanation: r"
Users call a command by its name. If two commands have the same name, clients show both and run one,
or drop one. Nobody knows which.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search the web"},{"name":"web","description":"Open a page"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search the web"},{"name":"Web","description":"Open a page"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"web","description":"Search the web"},{"type":"command","name":"web","description":"Open a page"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"web","description":"Search the web"},{"type":"command","name":"page","description":"Open a page"}]}}}"#,
        ),
    ],
    on: &[
        On::Update(&["available_commands_update"], |update, _| check(update.update)),
        On::Answer(methods::SET_UP_SESSION_ON_V2, |answer, _| check(answer.result()?)),
    ],
    ..Rule::DEFAULT
};

fn check(holder: Node<'_>) -> Option<Verdict> {
    let twins = repeated::repeated(names::of(holder)?).map(|(name, first)| {
        Finding::new(format!("two commands have the name `{name}`"))
            .at(name, "the second command")
            .at(first, "the first command")
            .help("give each command its own name")
            .once_per(&*name.as_cow())
    });
    Some(twins.collect())
}
