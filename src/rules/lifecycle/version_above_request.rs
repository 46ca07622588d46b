use crate::{rule::prelude::*, rules::lifecycle::excess};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-above-request",
    summary: "the agent answers with a newer version than requested",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#version-negotiation"),
            requires: "an agent that supports the requested version answers with it, any other \
                       with its newest",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("InitializeResponse"),
            requires: "the answered version is the highest one supported that is not above the \
                       requested one; if there is none, the request fails with -32022",
        },
    ],
    requirements: &["lifecycle.agent-answers", "lifecycle.agree"],
    explanation: r"
A client offers the newest version that it knows, so it cannot read a newer one. On version 1 an
agent may answer so if it has dropped the older version, so it is a warning there, and nothing if the
client continues. On version 2 the agent refuses with -32022 and lists the versions that it supports.
`lifecycle/version-mismatch-continue` reports a client that continues.
",
    tck: &["INIT-201", "INIT-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":3,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":3,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        ),
    ],
    on: &[On::Call(&["initialize"], |_, connection| check(connection)), On::End(end)],
    ..Rule::DEFAULT
};

fn end(_: &End, connection: &Connection) -> Option<Verdict> {
    check(connection)
}

/// Checks whether the last answer to `initialize` names a version above the offered one. Runs at the
/// next `initialize` or at the end. `None` on version 1 when the client went on: the agent may have
/// dropped the offered version, and another rule reports the client.
fn check(connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    negotiation.answered?;
    let Some([(offered, offer), (answered, answer)]) = excess(connection) else {
        return Some(Verdict::Pass);
    };
    if negotiation.continued.is_some() && connection.version() != Some(Version::V2) {
        return None;
    }
    let message =
        format!("the agent answers with version {answered}, newer than the requested {offered}");
    let finding = Finding::new(message)
        .at(answer, format!("a client that offers {offered} does not know {answered}"))
        .at(offer, "the newest version that the client supports")
        .help(match connection.version() {
            Some(Version::V2) => {
                format!("answer with a version up to {offered}, or with error -32022")
            }
            _ => format!("answer with {offered} if the agent supports it"),
        });
    Some(finding.into())
}
