use crate::{json::Kind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "plan/malformed-capability",
    summary: "the plan capability is not an object or null",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ClientCapabilities"),
        requires: "`plan` is an object if supported, otherwise null or absent",
    }],
    explanation: r"
Most client capabilities of version 1 are booleans. This one is an object, so that it can grow.
Official readers take any other value as unsupported, and strict readers refuse the whole
`initialize`. An agent that believes such a value and sends named plans is not blamed.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":true},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":null},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Call(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let name = connection.edition().plan_capability();
    let value = call.param("clientCapabilities")?.get(name)?;
    if matches!(value.kind(), Kind::Object | Kind::Null) {
        return Some(Verdict::Pass);
    }
    let help = match value.kind() {
        Kind::False => "remove it, or write null".to_owned(),
        _ => format!("write `\"{name}\":{{}}` to advertise it"),
    };
    Some(
        Finding::new(format!("the capability `{name}` is not an object"))
            .at(value, "anything else means unsupported")
            .help(help)
            .explains(value)
            .into(),
    )
}
