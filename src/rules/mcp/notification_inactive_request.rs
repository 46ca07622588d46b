use crate::{
    model::{Id, request::inner::InnerRequest},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/notification-inactive-request",
    summary: "an MCP notification names an inner request that is not active",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("MessageMcpNotification"),
        requires: "`requestId` is the id of an active inner request",
    }],
    explanation: r"
The inner request is the MCP request that the agent sent through the client. The agent has forgotten
it and drops its notifications. Forward notifications of the server before the answer.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a1","result":{"result":{}}}
{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"notifications/progress"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"notifications/progress"}}
{"jsonrpc":"2.0","id":"a1","result":{"result":{}}}"#,
    )],
    on: &[On::Call(&["mcp/message"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    if call.id.is_some() || call.sender == Some(Side::Agent) {
        return None;
    }
    let inner = InnerRequest::of(call).filter(|inner| inner.id != Id::Null)?;
    connection.mcp.get(call.param("serverId")?.text()?)?;
    let known = connection.mcp.inner(&inner);
    if known.is_some_and(|known| known.answered.is_none()) {
        return Some(Verdict::Pass);
    }
    if known.is_none()
        && (!connection.head_is_complete() || connection.lost_to(Some(Side::Client)) > 0)
    {
        return None;
    }
    let id = call.param("requestId")?;
    Some(
        Finding::new(format!(
            "an MCP notification names inner request {}, which is not active",
            inner.id
        ))
        .at(id, "not the id of an active request")
        .and_at(known.and_then(|known| known.answered), "the answer to this request")
        .help("forward notifications before the answer")
        .into(),
    )
}
