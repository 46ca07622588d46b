use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "registry/version-not-integer",
    summary: "an agent answers `initialize` with a version that is not an integer",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("the gate of github.com/agentclientprotocol/registry"),
        requires: "`protocolVersion` in the answer to `initialize` is an integer",
    }],
    explanation: r#"
Protocol versions are numbers: 1, 2. The registry refuses an agent that answers `"1"` or a date, as
MCP uses them. So does every client that compares versions.

The schema refuses such answers too, so by default `schema/result` reports them. This rule is for
`--profile registry`, which checks only what the registry looks at.
"#,
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1","agentInfo":{"name":"kettle","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"kettle","version":"1"}}}"#,
        )
        .beside(&["schema/result"]),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2.5,"info":{"name":"kettle","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"kettle","version":"1"}}}"#,
        )
        .beside(&["schema/result"]),
    ],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let Some(version) = result.get("protocolVersion") else {
        return Some(
            Finding::new("the agent answers `initialize` without a version")
                .at(Mark::missing_in(result), "`protocolVersion` is missing here")
                .explains_missing(result, "protocolVersion")
                .into(),
        );
    };
    if version.integer().is_some() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the agent answers `initialize` with a version that is not an integer")
            .at(version, "not an integer")
            .help("send the number 1 or 2")
            .explains(version)
            .into(),
    )
}
