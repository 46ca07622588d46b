use crate::{rule::prelude::*, rules::lifecycle::excess};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-above-request",
    summary: "the agent answers with a version above the requested one",
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
    explanation: r"
A client asks for the newest version it knows, so an answer above that is one it cannot read. On
version 1 such an answer is allowed to an agent that has dropped the older version, which is why it
is a warning there; version 2 refuses with -32022 instead and lists what is supported. When the
client goes on all the same, `lifecycle/version-mismatch-continue` says so and this rule is silent.
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
    on: &[On::Call(&["initialize"], again), On::End(end)],
    ..Rule::DEFAULT
};

fn again(_: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    check(connection)
}

fn end(_: &End, connection: &Connection) -> Option<Verdict> {
    check(connection)
}

/// Judges the last answer, now that it is known what the client made of it.
fn check(connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    negotiation.answered?;
    let Some([(offered, offer), (answered, answer)]) = excess(connection) else {
        return Some(Verdict::Pass);
    };
    if negotiation.continued.is_some() {
        return None;
    }
    let message =
        format!("the agent answers with version {answered}, above the requested {offered}");
    let finding = Finding::new(message)
        .at(answer, format!("a client that asks for {offered} cannot speak {answered}"))
        .at(offer, "the newest version that the client supports")
        .help(match connection.version() {
            Some(Version::V2) => {
                format!("answer with a version up to {offered}, or fail with -32022")
            }
            _ => format!("answer with {offered} if it is supported at all"),
        });
    Some(finding.into())
}
