use crate::{model::Phase, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/initialize-pipelined",
    summary: "the client sends a request before `initialize` is answered",
    level: By::both(Level::Must),
    severity: By::each(Severity::Error, Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::DIRECTION),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup"),
            requires: "initialization is complete before a session is created",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization"),
            requires: "a session may be set up once version and capabilities are agreed on",
        },
    ],
    explanation: r"
The answer to `initialize` decides which version the next message has to be written in and which
methods the agent has at all. A request sent before that answer is a guess: it may have the wrong
shape, and an agent that handles messages side by side may see it before it is initialized.
Extension methods and `$/cancel_request` may be sent at any time. It is reported once, for the first
such request, and only where the answer is on record, too.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

/// Waits for the answer: without it the recording may hold the client's side alone.
fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    if negotiation.phase() != Phase::Proposed || connection.is_proxied() {
        return None;
    }
    let finding = negotiation.pipelined.as_ref().map(|(method, at)| {
        Finding::new(format!("the client sends `{method}` before `initialize` is answered"))
            .at(*at, "sent without knowing the version and the agent's capabilities")
            .at(answer.request.method_at, "the request that is not answered yet")
            .at(answer.id, "answered only here")
            .help("wait for the result of `initialize`")
    });
    Some(finding.into())
}
