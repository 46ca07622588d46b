use crate::{
    rule::prelude::*,
    rules::{config::lists, named},
};

pub(crate) static RULE: Rule = Rule {
    id: "config/unknown-option",
    summary: "the client sets an option that was not offered",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#from-the-client"),
            requires: "a client sets only options that the agent offers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SetSessionConfigOptionRequest"),
            requires: "`configId` names an option that the session offers",
        },
    ],
    explanation: r"
The id is not in the session's last list of options, so there is nothing to set. Agents answer with
-32602. Often the id belongs to another agent or to an older version of this one. If the agent sent
a new list at the same moment, the client is not to blame.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"speed","value":"fast"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such option"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"speed","type":"id","value":"fast"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such option"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        ),
    ],
    on: &[On::Call(&["session/set_config_option"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let (id, listing, later) = lists::asked(call, connection)?;
    if later.into_iter().chain([listing]).any(|listing| listing.option(id).is_some()) {
        return Some(Verdict::Pass);
    }
    // `config/set-without-options` reports a session without options on version 2.
    if listing.options.is_empty() && connection.version() == Some(Version::V2) {
        return None;
    }
    let known = named::first(listing.options.iter().map(|option| &*option.id));
    let help = if known.is_empty() {
        "this session offers no options, so none can be set".to_owned()
    } else {
        format!("use one of the options of this session: {known}")
    };
    let session = connection.session(call.session_id()?);
    let before = session.and_then(|session| session.config.before_last());
    let withdrawn = before.and_then(|before| before.option(id));
    let finding = match withdrawn {
        Some(option) => {
            Finding::new(format!("the client sets option `{id}`, which is no longer offered"))
                .at(id, "not in the list of options")
                .at(listing.at, "this list no longer has it")
                .at(option.at, "offered here before")
        }
        None => Finding::new(format!("the client sets option `{id}`, which is not offered"))
            .at(id, "not in the list of options")
            .at(listing.at, "the last list"),
    };
    Some(finding.help(help).into())
}
