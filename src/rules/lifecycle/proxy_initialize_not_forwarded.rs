use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/proxy-initialize-not-forwarded",
    summary: "a proxy answers `proxy/initialize` without asking its successor",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("InitializeProxyRequest"),
        requires: "a proxy initializes its successor before it answers",
    }],
    requirements: &["lifecycle.proxy-forwards"],
    explanation: r"
A proxy answers for everything behind it: it forwards the version and the capabilities of the agent
at the end of the chain. If it answers before its successor, its answer is invented, and later
messages reach an agent that was never initialized.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"proxy/initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"proxy/initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":"p1","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}}
{"jsonrpc":"2.0","id":"p1","result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
    )],
    on: &[On::Answer(&["proxy/initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    if connection.negotiation.successor.is_some() {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new("the proxy answers `proxy/initialize` before its successor was initialized")
            .at(result, "no successor has answered `initialize` so far")
            .at(answer.request.method_at, "the request")
            .help("first send `proxy/successor` with `initialize` and wait for its answer");
    Some(finding.into())
}
