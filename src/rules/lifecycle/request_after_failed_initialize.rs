use crate::{model::Phase, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/request-after-failed-initialize",
    summary: "the client sends requests after `initialize` failed",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors, Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization"),
            requires: "`initialize` comes before a session is created",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization"),
            requires: "`initialize` has to succeed before any other request",
        },
    ],
    requirements: &["lifecycle.initialize-first"],
    explanation: r"
After a failed `initialize` the connection is still not initialized. The client may offer another
version, one that the error lists, or close the connection. Agents with the official SDKs refuse all
other requests with -32600. The rule reports one finding for each failure.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"No model is configured"}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Not initialized"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"No model is configured"}}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#,
        )
        .beside(&["lifecycle/initialize-failed"]),
        Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":1,"supported":[2]}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Not initialized"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":1,"supported":[2]}}}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
    ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    // What was lost may have been the answer that the client goes by.
    if negotiation.phase() != Phase::Failed
        || connection.lost_to(Some(Side::Client)) > 0
        || call.sender != Some(Side::Client)
        || call.id.is_none()
        || !call.uses_protocol()
    {
        return None;
    }
    if call.method == "initialize" {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new(format!("the client sends `{}`, but `initialize` failed", call.method))
            .at(call.method, "the connection is not initialized")
            .and_at(negotiation.answer, "`initialize` failed here")
            .help("offer a version that the agent supports, or close the connection")
            .once_per(negotiation.request_number);
    Some(finding.into())
}
