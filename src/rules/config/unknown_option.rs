use crate::{
    model::{RequestFacts, session::config::OptionList},
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
a new list at the same moment, the client is not to blame. An option that an earlier list has may be
missing by mistake: this is reported only if the agent refuses the change with -32602.
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
    on: &[
        On::Call(&["session/set_config_option"], asked),
        On::Answer(&["session/set_config_option"], refused),
    ],
    ..Rule::DEFAULT
};

fn asked(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let (id, listing, later) = lists::asked(call, connection)?;
    if later.into_iter().chain([listing]).any(|listing| listing.option(id).is_some()) {
        return Some(Verdict::Pass);
    }
    // The list may lack the option by mistake; the answer tells.
    let is_dropped = listing.dropped.iter().any(|dropped| id == **dropped);
    if is_dropped || is_without_options(listing, connection) {
        return None;
    }
    let finding = Finding::new(format!("the client sets option `{id}`, which is not offered"))
        .at(id, "not in the list of options")
        .at(listing.at, "the last list of options");
    Some(finding.help(help(listing)).into())
}

/// Checks a refused change of an option that earlier lists have: with the refusal, the agent says that
/// the last list lacks it on purpose.
fn refused(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let is_invalid = answer.error()?.get("code")?.integer() == Some(-32602);
    let request = answer.request;
    let RequestFacts::Setting(setting) = &request.facts else { return None };
    let session = connection.session_named(request.session_id.as_deref()?)?;
    let config = &session.config;
    let listing = config.last().filter(|_| !session.is_replaying())?;
    let is_later =
        config.crossing(request.last_before).is_some() || config.is_sent_since(request.number);
    let is_dropped = listing.dropped.contains(&setting.id);
    if !is_invalid || is_later || !is_dropped || is_without_options(listing, connection) {
        return None;
    }
    let id = &setting.id;
    let before = config.before_last().and_then(|before| before.named(id));
    let finding =
        Finding::new(format!("the client sets option `{id}`, which is no longer offered"))
            .at(setting.id_at, "not in the list of options")
            .at(listing.at, "this list no longer has it")
            .and_at(before.map(|before| before.at), "offered here before")
            .at(answer.node, "refused here");
    Some(finding.help(help(listing)).into())
}

/// Whether `config/set-without-options` reports each change: it speaks of version 2 alone.
fn is_without_options(listing: &OptionList, connection: &Connection) -> bool {
    listing.options.is_empty() && connection.version() == Some(Version::V2)
}

fn help(listing: &OptionList) -> String {
    let known = named::first(listing.options.iter().map(|option| &*option.id));
    if known.is_empty() {
        "this session offers no options, so none can be set".to_owned()
    } else {
        format!("use one of the options of this session: {known}")
    }
}
