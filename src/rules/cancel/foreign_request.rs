use crate::{model::Id, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "cancel/foreign-request",
    summary: "a side cancels a request that the other side sent",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Error, Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::DIRECTION),
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Ids, Loss::AgentIds],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/cancellation"),
            requires: "only the sender of a request cancels it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CancelRequestNotification"),
            requires: "`requestId` is the id of a request that the sender of the cancellation sent",
        },
    ],
    requirements: &["cancel.own-requests"],
    explanation: r"
Each side numbers its own requests. The receiver looks for the id among the requests that it got
from the sender. It finds nothing, or it cancels the wrong request. To stop the other side's work,
use the method for it, such as `session/cancel`; to decline its request, answer with an error.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":true},"elicitation":{"form":{},"url":{}},"plan":{},"subagents":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"additionalDirectories":{},"fork":{},"archive":{},"status":{},"title":{}},"auth":{"logout":{}}},"authMethods":[{"id":"login","name":"Log in"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}}"#,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":true},"elicitation":{"form":{},"url":{}},"plan":{},"subagents":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"additionalDirectories":{},"fork":{},"archive":{},"status":{},"title":{}},"auth":{"logout":{}}},"authMethods":[{"id":"login","name":"Log in"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Cancelled"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{},"url":{}}},"info":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{}},"mcp":{"stdio":{},"http":{}},"delete":{},"additionalDirectories":{},"fork":{},"archive":{},"status":{},"title":{}}},"authMethods":[{"type":"agent","methodId":"login","name":"Log in"}],"info":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":5,"method":"session/list","params":{}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":5,"result":{"sessions":[]}}}"#,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{},"url":{}}},"info":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{}},"mcp":{"stdio":{},"http":{}},"delete":{},"additionalDirectories":{},"fork":{},"archive":{},"status":{},"title":{}}},"authMethods":[{"type":"agent","methodId":"login","name":"Log in"}],"info":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":5,"method":"session/list","params":{}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":5,"result":{"sessions":[]}}}"#,
        ),
    ],
    on: &[On::Call(&["$/cancel_request"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let node = call.param("requestId")?;
    let sender = call.recorded?;
    let id = Id::of(node);
    let is_own = |side| {
        connection.rpc.outstanding(side, &id).is_some()
            || connection.rpc.answered(side, &id).is_some()
    };
    if is_own(Some(sender)) || is_own(None) {
        return Some(Verdict::Pass);
    }
    let request = connection.rpc.outstanding(Some(sender.peer()), &id)?;
    Some(
        Finding::new(format!("the {sender} cancels request {id} of the {}", sender.peer()))
            .at(node, "the sender did not send this request")
            .at(request.at, format!("the {} sent this request", sender.peer()))
            .help("cancel only requests that this side sent; answer the requests of the other side")
            .into(),
    )
}
