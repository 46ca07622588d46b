use crate::{map::Set, model::session::config, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "config/modes-out-of-sync",
    summary: "`modes` and the mode option disagree",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page(
            "protocol/v1/session-config-options#relationship-to-session-modes",
        ),
        requires: "an agent that offers `modes` and a mode option keeps them equal",
    }],
    requirements: &["config.modes-in-sync"],
    explanation: r"
Clients that know config options ignore `modes`; older clients know only `modes`. If the two
disagree, each client shows another mode.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}],"category":"mode"}],"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}],"category":"mode"}],"modes":{"currentModeId":"code","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}}}"#,
    )],
    on: &[On::Answer(&["session/new", "session/load", "session/resume"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let modes = answer.result()?.get("modes")?;
    let mode = modes.get("currentModeId")?.text()?;
    let option = config::listed(answer)?.elements().find(|option| config::is_mode(*option))?;
    let current = option.get("currentValue")?.text()?;
    let available = || {
        let modes = modes.get("availableModes").into_iter().flat_map(Node::elements);
        modes.filter_map(|mode| mode.get("id")?.text())
    };
    let values: Set<_> = config::values(option).map(Text::as_cow).collect();
    let is_same = available().count() == config::values(option).count()
        && available().all(|id| values.contains(&id.as_cow()));
    if !is_same {
        return None;
    }
    let finding = (mode != current).then(|| {
        Finding::new(format!("the mode is `{mode}` in `modes` but `{current}` in the mode option"))
            .at(current, "the mode option")
            .at(mode, "the mode in `modes`")
            .help("send the same mode in both places")
    });
    Some(finding.into())
}
