use crate::{
    model::{RequestFacts, session::config},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "config/value-not-applied",
    summary: "the answer confirms a value but shows another one as current",
    level: By::each(Level::Hint, Level::Must),
    severity: By::each(Severity::Info, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#from-the-client"),
            requires: "the answer shows the current values",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-config-options#from-the-client"),
            requires: "the answer to a change is the complete list with the current values",
        },
    ],
    requirements: &["config.complete-answer"],
    explanation: r"
The client sets a value and the agent confirms it, but the list in the answer shows another one.
Clients show what the list says, so the user's choice jumps back. If the value cannot be set, answer
with an error. On version 1 the value may be an alias for the one in the answer.
",
    tck: &["CONFIG-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"brave","name":"Brave","type":"boolean","currentValue":false}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"brave","type":"boolean","value":true}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"brave","name":"Brave","type":"boolean","currentValue":false}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"brave","name":"Brave","type":"boolean","currentValue":false}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"brave","type":"boolean","value":true}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"brave","name":"Brave","type":"boolean","currentValue":true}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/set_config_option"], check)],
    variants: &[(
        Severity::Warning,
        "on version 2 where the value may be another name for the current one",
    )],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Setting(setting) = &answer.request.facts else { return None };
    let options = config::listed(answer)?.elements();
    let mut named =
        options.filter(|option| config::id(*option).is_some_and(|id| id == *setting.id));
    let option = named.next()?;
    let current = option.get("currentValue")?;
    let id = answer.request.session_id.as_deref()?;
    let known = &connection.session_named(id)?.config;
    // When the value was changed again or was never offered, the response proves nothing.
    let option_known = known.last().and_then(|listing| listing.named(&setting.id));
    let offered = option_known.and_then(|option| option.offers(&setting.value));
    let is_clear = !known.is_sent_since(answer.request.number) && offered != Some(false);
    let mut rivals = connection.rpc.perhaps_open_in(id, Side::Client, "session/set_config_option");
    if !is_clear || rivals.next().is_some() {
        return None;
    }
    if setting.value.is(current) {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!(
        "option `{}` is confirmed as `{}`, but its current value is `{}`",
        setting.id,
        setting.value,
        current.shown()
    ))
    .at(current, "not the requested value")
    .at(setting.value_at, "the requested value")
    .help("answer with an error if the value cannot be set");
    // The requested value is no longer offered: it is probably an alias of the current one.
    let is_alias = current.is_string()
        && !config::values(option).any(|value| setting.value.is(value.node()))
        && connection.version() == Some(Version::V2);
    Some(finding.as_severity_if(is_alias, Severity::Warning).into())
}
