use crate::{rule::prelude::*, rules::named};

pub(crate) static RULE: Rule = Rule {
    id: "session/mode-not-available",
    summary: "the client selects a mode that was not offered",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/session-modes#setting-the-current-mode"),
        requires: "the client sets one of the available modes",
    }],
    requirements: &["mode.offered"],
    explanation: r"
The modes that the agent lists when it sets up the session are the only ones; no update changes this
list. The agent refuses an unknown mode. Or, worse, it continues in the old mode while the client
shows the new one.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"plan"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"code"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Call(&["session/set_mode"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let modes = connection.session(call.session_id()?)?.info.modes.as_ref()?;
    let id = call.param("modeId")?.text()?;
    if modes.ids.contains(&id.as_cow()) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("mode `{id}` was not offered"))
            .at(id, "no such mode")
            .at(modes.at, "the modes of this session")
            .help(format!("the available modes are {}", named::first(modes.ids.iter())))
            .into(),
    )
}
