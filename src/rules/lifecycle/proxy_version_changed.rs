use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/proxy-version-changed",
    summary: "a proxy answers with another version than its successor",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("InitializeProxyResponse"),
        requires: "a proxy forwards the version that its successor selected",
    }],
    requirements: &["lifecycle.proxy-same-version"],
    explanation: r"
A proxy forwards most messages without reading them. If it answers with another version than its
successor, client and agent use different versions and do not know it.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"proxy/initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":"p1","method":"proxy/successor","params":{"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}}
{"jsonrpc":"2.0","id":"p1","result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
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
    let version = answer.result()?.get("protocolVersion")?;
    let (Some(selected), at) = connection.negotiation.successor? else { return None };
    let answered = version.integer()?;
    if answered == selected {
        return Some(Verdict::Pass);
    }
    let message =
        format!("the proxy answers with version {answered}, but its successor selected {selected}");
    let finding = Finding::new(message)
        .at(version, "not the version of the successor")
        .at(at, format!("the successor selects {selected}"))
        .help("answer with the version of the successor");
    Some(finding.into())
}
