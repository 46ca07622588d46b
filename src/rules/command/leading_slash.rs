use crate::{rule::prelude::*, rules::command::names};

pub(crate) static RULE: Rule = Rule {
    id: "command/leading-slash",
    summary: "a command name starts with a slash, or is empty",
    level: By::each(Level::Hint, Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/slash-commands#availablecommand"),
            requires: "the name does not include the slash that users type",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/slash-commands#availablecommand"),
            requires: "the name does not include the slash that users type",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Command"),
            requires: "the name does not include the leading slash",
        },
    ],
    explanation: r"
Clients put the slash in front of the name, in their menu and in the prompt. With a slash of its
own, the name becomes `//web`, and what the user types does not match it. An empty name cannot be
typed at all.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"/web","description":"Search the web"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search the web"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"/web","description":"Search the web"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"web","description":"Search the web"}]}}}"#,
        ),
    ],
    on: &[
        On::Update(&["available_commands_update"], |update, _| check(update.update)),
        On::Answer(methods::SET_UP_SESSION_ON_V2, |answer, _| check(answer.result()?)),
    ],
    ..Rule::DEFAULT
};

fn check(holder: Node<'_>) -> Option<Verdict> {
    Some(names::of(holder)?.filter_map(judge).collect())
}

fn judge(name: Text<'_>) -> Option<Finding> {
    if name.is_empty() {
        return Some(
            Finding::new("a command has an empty name").at(name, "users cannot type this"),
        );
    }
    name.starts_with("/").then(|| {
        Finding::new(format!("the command name `{name}` starts with a slash"))
            .at(name, "clients add the slash")
            .help(format!("name it `{}`", name.as_cow().trim_start_matches('/')))
            .once_per(&*name.as_cow())
    })
}
