use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-zero",
    summary: "the client offers the pre-release version 0",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("agent-client-protocol-schema, src/version.rs, `V0`"),
        requires: "version 0 was a pre-release and counts as unsupported",
    }],
    explanation: r"
Version 0 was used before the protocol was released; it has other methods and shapes. No agent
supports it today. Typical cause: a client leaves the integer at its default 0. The usual version is
1.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":0,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Call(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let version = call.param("protocolVersion")?;
    if version.integer()? != 0 {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new("the client offers the pre-release version 0")
        .at(version, "no agent supports version 0")
        .help("offer the newest version that the client supports, such as 1");
    Some(finding.into())
}
