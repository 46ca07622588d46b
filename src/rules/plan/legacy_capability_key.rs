use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/legacy-capability-key",
    summary: "the plan capability is advertised under its old name",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    editions: By::both(Editions::since(Edition::June2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("ClientCapabilities"),
            requires: "a client advertises plan operations in `plan`",
        },
        Citation {
            version: None,
            source: SourceText::Other(
                "commit cb6e0272 of agentclientprotocol/agent-client-protocol, 5 June 2026",
            ),
            requires: "`planCapabilities` was renamed to `plan`",
        },
    ],
    explanation: r"
The name was `planCapabilities` for nine days, from 27 May to 5 June 2026. Only two versions of the
Rust crate have it. Later agents look for `plan`, find nothing, and send no named plans.

Without `--edition`, the old name still counts as the capability: the agent that sends plan
operations did what the client said. In edition 2026-05 the old name is the right one. In later
editions it has no effect.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"planCapabilities":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Call(&["initialize"], check)],
    variants: &[(Severity::Info, "where the new name is advertised, too")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let capabilities = call.param("clientCapabilities")?;
    let current = capabilities.name_of("plan");
    let Some(legacy) = capabilities.name_of("planCapabilities") else {
        return current.map(|_| Verdict::Pass);
    };
    let finding =
        Finding::new("the capability `planCapabilities` was renamed to `plan` on 5 June 2026")
            .at(legacy, "the old name")
            .explains(legacy);
    let finding = if let Some(current) = current {
        finding
            .at(current, "also advertised under the current name")
            .help("remove `planCapabilities`, unless you support agents of May 2026")
            .as_severity(Severity::Info)
    } else if connection.pinned_edition().is_none() {
        finding.help(
            "rename it to `plan`: agents with later schemas do not look for the old name \
             (`--edition 2026-05` accepts it)",
        )
    } else {
        finding.help("rename it to `plan`: agents do not look for the old name")
    };
    Some(finding.into())
}
