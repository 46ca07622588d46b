use crate::{rule::prelude::*, rules::plan::capability};

pub(crate) static RULE: Rule = Rule {
    id: "plan/capability-on-v2",
    summary: "a version 2 client advertises the plan capability",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/v2/plan-variants"),
        requires: "on version 2, plan updates need no capability",
    }],
    explanation: r"
On version 2, every client supports `plan_update`, so the capability was removed. Clients of version
1 still use it to opt in. On version 2 it does no harm and has no effect.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"plan":{}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Call(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let capabilities = call.param("capabilities").filter(|found| found.is_object())?;
    let advertised = |name: &&str| capabilities.get(name).is_some_and(|value| !value.is_null());
    let Some(name) = capability::NAMES.into_iter().find(advertised) else {
        return Some(Verdict::Pass);
    };
    let written = capabilities.name_of(name)?;
    Some(
        Finding::new(format!("version 2 does not have the capability `{name}`"))
            .at(written, "has no effect")
            .help("remove it: every version 2 client supports `plan_update`")
            .explains(written)
            .into(),
    )
}
