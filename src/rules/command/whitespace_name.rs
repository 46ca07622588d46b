use crate::{rule::prelude::*, rules::command::names};

pub(crate) static RULE: Rule = Rule {
    id: "command/whitespace-name",
    summary: "a command name contains whitespace",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Command"),
        requires: "a name does not contain whitespace",
    }],
    requirements: &["command.name"],
    explanation: r"
Clients read the text after the first space as the input of the command. So a user cannot call a
command whose name contains a space.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"create plan","description":"Make a plan"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"create-plan","description":"Make a plan"}]}}}"#,
    )],
    on: &[
        On::Update(&["available_commands_update"], |update, _| check(update.update)),
        On::Answer(methods::SET_UP_SESSION_ON_V2, |answer, _| check(answer.result()?)),
    ],
    ..Rule::DEFAULT
};

fn check(holder: Node<'_>) -> Option<Verdict> {
    let spaced = names::of(holder)?.filter(|name| name.as_cow().contains(char::is_whitespace));
    Some(
        spaced
            .map(|name| {
                Finding::new(format!("the command name {:?} contains whitespace", name.as_cow()))
                    .at(name, "clients read the text after it as input")
                    .help("use a hyphen instead")
                    .once_per(&*name.as_cow())
            })
            .collect(),
    )
}
