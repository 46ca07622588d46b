use crate::{model::session::config, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "config/modes-missing",
    summary: "a mode option is offered without `modes`",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page(
            "protocol/v1/session-config-options#relationship-to-session-modes",
        ),
        requires: "an agent with a mode option also sends `modes` while it supports older clients",
    }],
    requirements: &["config.send-modes"],
    explanation: r"
Clients that do not know config options read only `modes`. Their users cannot see or change the
mode.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"dig","name":"Dig"}]},"configOptions":[{"id":"mode","name":"Mode","type":"select","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"dig","name":"Dig"}]}]}}"#,
    )],
    on: &[On::Answer(&["session/new", "session/load", "session/resume", "session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let option = config::listed(answer)?.elements().find(|option| config::is_mode(*option))?;
    let result = answer.result()?;
    let is_missing = result.get("modes").is_none_or(Node::is_null);
    Some(Verdict::from(is_missing.then(|| {
        Finding::new("the agent offers a mode option, but no `modes`")
            .at(option, "older clients cannot show this")
            .at(Mark::missing_in(result), "`modes` is missing here")
            .help("send the same modes in `modes`, too")
            .once_per("modes")
    })))
}
