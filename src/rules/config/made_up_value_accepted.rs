use crate::{
    model::{
        RequestFacts,
        request::setting::ConfigValue,
        session::{config, info::RefusedChange},
    },
    rule::prelude::*,
    transcript::MADE_UP_VALUE,
};

pub(crate) static RULE: Rule = Rule {
    id: "config/made-up-value-accepted",
    summary: "the agent accepts a mode or a value that no agent offers, or refuses it and changes something",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-modes#setting-the-current-mode"),
            requires: "the mode is one of those that the agent offers",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#from-the-client"),
            requires: "the value is one of those that the option offers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SetSessionConfigOptionRequest"),
            requires: "the agent changes nothing when it refuses a value",
        },
    ],
    explanation: r"
`acpcheck drive` sets a mode, or an option, to a value that it made up. An agent that confirms it
confirms everything: when a mode has another name in a new release, the user believes that it is set,
and the agent works in another one. An agent that refuses the value must keep the one before: the user
believes that nothing has changed. In other recordings this rule is silent: an agent may have modes that
it does not list, and others may change them.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"agent","arguments":0,"driven":{"run":"0c52b4db4f5602c0","scenario":"other-values","process":1,"plays":"client"}}
{"t":0.1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"acpcheck","version":"0.1.0"}}}}
{"t":0.2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"t":0.3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"t":0.4,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}}}
{"t":0.5,"dir":"c2a","msg":{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"acpcheck-no-such-value"}}}
{"t":0.6,"dir":"a2c","msg":{"jsonrpc":"2.0","id":2,"result":{}}}"#,
        r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"agent","arguments":0,"driven":{"run":"0c52b4db4f5602c0","scenario":"other-values","process":1,"plays":"client"}}
{"t":0.1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"acpcheck","version":"0.1.0"}}}}
{"t":0.2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"t":0.3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"t":0.4,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}}}
{"t":0.5,"dir":"c2a","msg":{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"acpcheck-no-such-value"}}}
{"t":0.6,"dir":"a2c","msg":{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such mode"}}}"#,
    )],
    on: &[
        On::Answer(&["session/set_mode", "session/set_config_option"], check),
        On::Answer(
            &["session/set_config_option", "session/load", "session/resume"],
            check_refused_change,
        ),
    ],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    connection.stories.run.as_ref()?;
    let (value, at) = match &answer.request.facts {
        RequestFacts::Mode { id, at } => (&**id, *at),
        RequestFacts::Setting(setting) => match &setting.value {
            ConfigValue::Id(id) => (&**id, setting.value_at),
            ConfigValue::Boolean(_) => return None,
        },
        _ => return None,
    };
    // Version 2 names the error; `config/invalid-value-accepted` reports who accepts the value there.
    if value != MADE_UP_VALUE || connection.version() == Some(Version::V2) {
        return None;
    }
    let Some(result) = answer.result() else { return Some(Verdict::Pass) };
    Some(
        Finding::new(format!("the agent accepts `{value}`, which no agent offers"))
            .at(result, "accepted here")
            .at(at, "this run made it up")
            .help("refuse modes and values that are not offered with error -32602")
            .into(),
    )
}

/// Checks the first answer that shows the value after a refused change. In a driven run only the
/// agent can have changed it.
fn check_refused_change(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    connection.stories.run.as_ref()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let RefusedChange { option, kept, at } = session.info.refused.as_ref()?;
    // What the request itself sets may change.
    if let RequestFacts::Setting(setting) = &answer.request.facts
        && option.as_deref() == Some(&*setting.id)
    {
        return None;
    }
    let (name, now) = match option {
        None => ("the mode".to_owned(), answer.result()?.path(&["modes", "currentModeId"])?),
        Some(id) => {
            let is_it = |option: &Node<'_>| config::id(*option).is_some_and(|own| own == **id);
            let option = config::listed(answer)?.elements().find(is_it)?;
            (format!("option `{id}`"), option.get("currentValue")?)
        }
    };
    if kept.is(now) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "the agent refuses to change {name}, but changes it from `{kept}` to `{}`",
            now.shown()
        ))
        .at(now, "no longer the value before the request")
        .at(*at, "this value was refused")
        .help("change nothing when a value is refused")
        .into(),
    )
}
