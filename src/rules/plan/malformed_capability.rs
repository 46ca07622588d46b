use crate::{json::Kind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "plan/malformed-capability",
    summary: "the plan capability is neither an object nor null",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ClientCapabilities"),
        requires: "`plan` is an object when advertised, null or absent when not",
    }],
    explanation: r"
Most client capabilities of version 1 are booleans; this one is an object, so that it can grow.
Official readers swallow anything else and take the capability for absent: a client that writes
`true` gets no named plans. An agent that only asks whether the value is truthy sends them all the
same, which is then its own fault.
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
        Kind::False => "leave it out, or write null".to_owned(),
        _ => format!("write `\"{name}\":{{}}` to advertise it"),
    };
    Some(
        Finding::new(format!("the capability `{name}` is no object"))
            .at(value, "readers take this for its absence")
            .help(help)
            .explains(value)
            .into(),
    )
}
