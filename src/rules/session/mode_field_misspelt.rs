use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/mode-field-misspelt",
    summary: "a mode update has `modeId` instead of `currentModeId`",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("CurrentModeUpdate"),
            requires: "the mode is in `currentModeId`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-modes#from-the-agent"),
            requires: "the example there has `modeId`, which no reader knows",
        },
    ],
    explanation: r"
The page on modes shows the update with `modeId`, but the schema and every official reader demand
`currentModeId`. Readers drop an update copied from that page, and the client keeps showing the old
mode. In `session/set_mode` the name `modeId` is right.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","modeId":"code"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"code"}}}"#,
    )],
    on: &[On::Update(&["current_mode_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    if update.update.get("currentModeId").is_some() {
        return Some(Verdict::Pass);
    }
    let name = update.update.name_of("modeId")?;
    Some(
        Finding::new("the mode update has `modeId` instead of `currentModeId`")
            .at(name, "no reader knows this name")
            .help("write `currentModeId`")
            .explains(name)
            .explains_missing(update.update, "currentModeId")
            .into(),
    )
}
