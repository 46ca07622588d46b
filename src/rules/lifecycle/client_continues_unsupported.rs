use crate::{protocol::schema::Protocol, rule::prelude::*, rules::lifecycle::NEWEST};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/client-continues-unsupported",
    summary: "the client uses a version that was not negotiated",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/initialization#version-negotiation"),
        requires: "a client that does not support the selected version disconnects",
    }],
    requirements: &["lifecycle.disconnect"],
    explanation: r"
The agent chose an older version than the client offered, but the client continues with the newer
one. The agent does not have this method. The client has to use the selected version or close the
connection. Without `--surface`, messages are checked against the negotiated version, and
`surface/method-from-other-version` reports the same fault.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"},"authMethods":[{"id":"login","name":"Log in"}]}}
{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    let (answered, answer) = negotiation.answered?;
    let (offered, offer) = negotiation.offered?;
    let is_downgraded = Version::of(answered) == Some(Version::V1) && offered >= NEWEST;
    if !is_downgraded
        || call.sender != Some(Side::Client)
        || !call.uses_protocol()
        || call.method == "initialize"
    {
        return None;
    }
    let method = call.method.as_cow();
    let knows = |surface| Protocol::of(surface, connection.edition()).method(&method).is_some();
    if knows(Surface::V1Unstable) || !knows(Surface::V2Unstable) {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("the client sends `{method}` after agreeing on version 1"))
        .at(call.method, "a method of version 2")
        .at(answer, "the agent selects version 1")
        .at(offer, format!("the client offers {offered}"))
        .help("use the selected version, or close the connection")
        .once_per(());
    Some(finding.into())
}
