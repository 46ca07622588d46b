use crate::{
    model::{
        request::setting::{ConfigValue, Setting},
        session::config::Choice,
    },
    rule::prelude::*,
    rules::{config::lists, named},
};

pub(crate) static RULE: Rule = Rule {
    id: "config/value-not-offered",
    summary: "the client sets a value that the option does not offer",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#from-the-client"),
            requires: "the value is one of the values that the option offers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SetSessionConfigOptionRequest"),
            requires: "the value fits the option: one of its values for `select`, a boolean for `boolean`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-config-options#from-the-client"),
            requires: "a client sends a value that the option offers",
        },
    ],
    requirements: &["config.offered-value"],
    explanation: r"
An option of type `select` takes one of its values, also one in a group; a boolean option takes
`true` or `false`. The agent refuses anything else with -32602, and the user's click does nothing.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"plan"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such value"}}"#,
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
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"plan"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such value"}}"#,
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
    let setting = Setting::of(call)?;
    if let Some(option) = later.and_then(|later| later.option(id))
        && option.offers(&setting.value) != Some(false)
    {
        return Some(Verdict::Pass);
    }
    let option = listing.option(id)?;
    if option.offers(&setting.value)? {
        return Some(Verdict::Pass);
    }
    let session = connection.session(call.session_id()?);
    let before = session.and_then(|session| session.config.before_last()?.option(id));
    let offered = before.filter(|before| before.offers(&setting.value) == Some(true));
    let value = call.param("value")?;
    let (message, at, help) = match (&option.choice, &setting.value) {
        (Choice::Select { values, at }, ConfigValue::Id(value)) => (
            match offered {
                Some(_) => format!(
                    "the client sets option `{id}` to `{value}`, which is no longer offered"
                ),
                None => format!("the client sets option `{id}` to `{value}`, which is not offered"),
            },
            *at,
            format!("use one of its values: {}", named::first(values.iter())),
        ),
        (Choice::Select { at, .. }, ConfigValue::Boolean(value)) => (
            format!("option `{id}` has a list of values but is set to `{value}`"),
            *at,
            "send the id of one of its values".to_owned(),
        ),
        (Choice::Boolean | Choice::Other, _) => (
            format!("option `{id}` is boolean but is set to a string"),
            option.at,
            "send `true` or `false` with the type `boolean`".to_owned(),
        ),
    };
    let finding = Finding::new(message).at(value, "not offered");
    let finding = match offered.map(|before| &before.choice) {
        Some(Choice::Select { at: before, .. }) => {
            finding.at(at, "no longer offered here").at(*before, "offered here before")
        }
        _ => finding.at(at, "the option"),
    };
    Some(finding.help(help).into())
}
