use super::refusals;
use crate::{
    model::{RequestFacts, session::config},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "config/invalid-value-accepted",
    summary: "the agent accepts an unknown option or value",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SetSessionConfigOptionRequest"),
        requires: "the agent refuses an unknown option, or a value that it does not offer, with error -32602, and changes nothing",
    }],
    requirements: &["config.reject-invalid", "config.reject-other-type"],
    explanation: r"
The agent confirms a change to an option or value that it does not offer. The client believes that
the change worked, but cannot show the new state. After an error it would look at the list again.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"},{"value":"plan","name":"Plan"}]}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"plan"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
    )],
    on: &[On::Answer(&["session/set_config_option"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let verdict = accepted(answer, connection)?;
    Some(verdict.about(refusals::requirements(answer, connection)?))
}

fn accepted(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let RequestFacts::Setting(setting) = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let listing = session.config.last().filter(|_| !session.is_replaying())?;
    let option = listing.named(&setting.id);
    let (message, help) = match option {
        // config/incomplete-state: the list may lack it by mistake.
        None if listing.dropped.contains(&setting.id) => return None,
        None => (
            format!(
                "the agent accepts a change of option `{}`, which it does not offer",
                setting.id
            ),
            "refuse unknown options with error -32602",
        ),
        Some(option) if !option.offers(&setting.value)? => (
            format!(
                "the agent accepts the value `{}`, which option `{}` does not offer",
                setting.value, setting.id
            ),
            "refuse other values with error -32602",
        ),
        Some(_) => return Some(Verdict::PassOf(&[])),
    };
    // The result offers the value: the list was changing.
    let now = config::listed(answer).into_iter().flat_map(Node::elements);
    let mut named = now.filter(|option| config::id(*option).is_some_and(|id| id == *setting.id));
    if named.any(|option| config::values(option).any(|value| setting.value.is(value.node()))) {
        return None;
    }
    Some(
        Finding::new(message)
            .at(result, "accepted here")
            .at(setting.value_at, "the value in the request")
            .at(listing.at, "the options of the session")
            .help(help)
            .into(),
    )
}
