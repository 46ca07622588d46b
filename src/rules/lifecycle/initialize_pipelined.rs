use crate::{model::Phase, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/initialize-pipelined",
    summary: "the client sends a request before `initialize` is answered",
    level: By::both(Level::Must),
    severity: By::each(Severity::Error, Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::DIRECTION),
    needs: &[Loss::FirstCalls],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup"),
            requires: "the client creates a session only after the initialization",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization"),
            requires: "a session is set up after both sides agreed on version and capabilities",
        },
    ],
    requirements: &["lifecycle.initialize-first"],
    explanation: r"
The answer to `initialize` decides the version of the next message, and which methods the agent has.
A request before that answer is a guess. It may have the wrong shape, or reach the agent before the
agent is initialized. Extension methods and `$/cancel_request` are allowed at any time. The rule
reports only the first such request, and only if the recording holds the answer.
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

/// Checks, at the response to `initialize`, the requests that the client sent before it. Without a
/// response nothing is judged, as the recording may have one side only.
fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    if negotiation.phase() != Phase::Proposed || connection.is_proxied() {
        return None;
    }
    let finding = negotiation.pipelined.as_ref().map(|(method, at)| {
        Finding::new(format!("the client sends `{method}` before `initialize` is answered"))
            .at(*at, "sent before version and capabilities are known")
            .at(answer.request.method_at, "`initialize`, not answered yet")
            .at(answer.id, "the answer comes only here")
            .help("wait for the result of `initialize`")
    });
    Some(finding.into())
}
