use crate::{
    map::{Map, Set},
    model::{
        RequestFacts, Session,
        session::config::{self, ConfigOption},
    },
    rule::prelude::*,
    rules::{config::lists, named},
};

pub(crate) static RULE: Rule = Rule {
    id: "config/incomplete-state",
    summary: "a list of options leaves out some of the options",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#from-the-agent"),
            requires: "an update holds the complete list of options",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#from-the-client"),
            requires: "the answer holds the complete list of options",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SetSessionConfigOptionResponse"),
            requires: "the result is the complete list with the current values",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ConfigOptionUpdate"),
            requires: "an update holds the complete list",
        },
    ],
    requirements: &["config.complete-answer"],
    explanation: r"
Clients replace their list of options with each new one, so a missing option disappears from the
screen. If the agent sends only what has changed, all other options vanish. Options may disappear
when the model changes; such lists are not reported, unless they hold only the option that was set.
",
    tck: &["CONFIG-202", "CONFIG-206"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"speed","name":"Speed","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"speed","name":"Speed","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"id":"speed","name":"Speed","type":"select","currentValue":"slow","options":[{"value":"slow","name":"Slow"},{"value":"fast","name":"Fast"}]}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"configId":"brave","name":"Brave","type":"boolean","currentValue":false}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"configId":"brave","name":"Brave","type":"boolean","currentValue":false}]}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]},{"configId":"brave","name":"Brave","type":"boolean","currentValue":false}]}}"#,
        ),
    ],
    on: &[
        On::Answer(&["session/set_config_option"], answered),
        On::Update(lists::UPDATES, |update, connection| {
            judged(
                config::reported(update)?,
                connection.session(update.session_id)?,
                None,
                connection,
            )
        }),
    ],
    variants: &[
        (Severity::Info, "on version 1 where only the option that was set is listed"),
        (Severity::Warning, "on version 2 where the others may have been removed"),
    ],
    ..Rule::DEFAULT
};

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let list = config::listed(answer)?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let set = match &answer.request.facts {
        RequestFacts::Setting(setting) => Some(&*setting.id),
        _ => None,
    };
    judged(list, session, set, connection)
}

fn judged(
    list: Node<'_>,
    session: &Session,
    set: Option<&str>,
    connection: &Connection,
) -> Option<Verdict> {
    let known = session.config.last().filter(|_| !session.is_replaying())?;
    let listed: Set<_> = list.elements().filter_map(config::id).map(Text::as_cow).collect();
    let is_listed = |id: &str| listed.contains(id);
    let missing: Vec<_> =
        known.options.iter().map(|option| &*option.id).filter(|id| !is_listed(id)).collect();
    if missing.is_empty() {
        return Some(Verdict::Pass);
    }
    // Of several options with one id, readers take the first.
    let known_by_id: Map<_, _> = known.options.iter().rev().map(|it| (&*it.id, it)).collect();
    // Options may depend on the model.
    let is_other_model = |option: Node<'_>| {
        is_model(option)
            && (has_changed(option, &known_by_id)
                || config::id(option).is_some_and(|id| set.is_some_and(|set| id == *set)))
    };
    // The model may have changed with the previous list, and its options follow now.
    let was_other_model = |option: Node<'_>| {
        let Some(id) = config::id(option).filter(|_| is_model(option)) else { return false };
        let last = known.option(id).map(|last| &last.current);
        let before = session.config.before_last().and_then(|before| before.option(id));
        last.zip(before).is_some_and(|(last, before)| *last != before.current)
    };
    let is_only = set.is_some_and(|set| list.len() == 1 && is_listed(set));
    let may_depend =
        list.elements().any(|option| is_other_model(option) || was_other_model(option));
    if may_depend && !is_only {
        return Some(Verdict::Pass);
    }
    let is_change =
        !list.is_empty() && list.elements().all(|option| has_changed(option, &known_by_id));
    let lacks_set = set.is_some_and(|set| missing.contains(&set));
    let severity = match connection.version()? {
        Version::V1 if is_change || lacks_set => None,
        Version::V1 if is_only => Some(Severity::Info),
        Version::V1 => return Some(Verdict::Pass),
        Version::V2 if may_depend => Some(Severity::Warning),
        Version::V2 if is_change || is_only || lacks_set => None,
        Version::V2 => Some(Severity::Warning),
    };
    let what = if is_change || is_only {
        "the list of options holds only the changed options"
    } else if lacks_set {
        "the list of options does not hold the option that was set"
    } else {
        "some options are missing from the new list of options"
    };
    let help = match severity {
        None | Some(Severity::Error) => "send all options of the session each time",
        // The agent may have removed them on purpose.
        Some(_) => "if the options still exist, send them each time, also unchanged",
    };
    let finding = Finding::new(what)
        .at(list, format!("missing: {}", named::first(&missing)))
        .at(known.at, "the list before it")
        .help(help);
    Some(severity.map_or(finding.clone(), |severity| finding.as_severity(severity)).into())
}

/// Whether a config option selects the model, by its category or id.
fn is_model(option: Node<'_>) -> bool {
    option.get("category").is_some_and(|category| category.is("model"))
        || config::id(option).is_some_and(|id| id == *"model")
}

/// Whether a config option has another value than the one last known.
fn has_changed(option: Node<'_>, known: &Map<&str, &ConfigOption>) -> bool {
    let before = config::id(option).and_then(|id| known.get(&*id.as_cow()));
    let Some(before) = before else { return false };
    match (&before.current, option.get("currentValue")) {
        (Some(value), Some(now)) => !value.is(now),
        _ => false,
    }
}
