use crate::{model::request::inner::InnerRequest, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "mcp/request-id-reused",
    summary: "the agent uses the id of an active inner MCP request again",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("McpRequestId"),
        requires: "each active request of a server has its own id",
    }],
    explanation: r"
Progress and cancellation name an inner request only by this id. If two active requests have the
same id, they reach the wrong one.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a2","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{},"http":{},"acp":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[{"type":"acp","name":"host tools","serverId":"srv-1"}]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a1","result":{"result":{}}}
{"jsonrpc":"2.0","id":"a2","method":"mcp/message","params":{"serverId":"srv-1","requestId":"r1","method":"tools/list"}}
{"jsonrpc":"2.0","id":"a2","result":{"result":{}}}"#,
    )],
    on: &[On::Call(&["mcp/message"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    call.id?;
    let inner = InnerRequest::of(call)?;
    let active = connection.mcp.inner(&inner).filter(|known| known.answered.is_none());
    let finding = active.and_then(|known| {
        Some(
            Finding::new(format!(
                "the id of inner request {} is used again while it is active",
                inner.id
            ))
            .at(call.param("requestId")?, "the same id again")
            .at(known.asked, "the first request, not answered yet")
            .help("give each inner request of a server its own id"),
        )
    });
    Some(finding.into())
}
