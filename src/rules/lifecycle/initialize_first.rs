use crate::{model::Phase, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/initialize-first",
    summary: "the client uses the connection before `initialize`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::FirstCalls, Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization"),
            requires: "a client initializes the connection before it sets up a session",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup"),
            requires: "the client creates a session only after the initialization",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization"),
            requires: "`initialize` comes before every other request of the client",
        },
    ],
    requirements: &["lifecycle.initialize-first"],
    explanation: r#"
Before `initialize` is answered, the sides have not agreed on a version or on capabilities. Agents
with the official SDKs refuse everything else with -32600 ("must be initialized"). Others answer and
guess, so the same client works with one agent and fails with another. The rule reports only the
first message. It does not check a recording that begins in the middle of a connection.
"#,
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Not initialized"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Not initialized"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let is_first = connection.negotiation.phase() == Phase::None;
    if !is_first || call.sender != Some(Side::Client) || connection.is_proxied() {
        return None;
    }
    let method = call.method.as_cow();
    if method == "initialize" {
        return Some(Verdict::Pass);
    }
    if !call.uses_protocol() || method.starts_with("proxy/") {
        return None;
    }
    let finding = Finding::new(format!("the client sends `{method}` before `initialize`"))
        .at(call.method, "the client's first message")
        .help("send `initialize` first and wait for its result; agents with the official SDKs answer -32600");
    Some(finding.into())
}
