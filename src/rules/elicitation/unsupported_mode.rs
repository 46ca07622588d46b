use crate::{rule::prelude::*, rules::elicitation::mode};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/unsupported-mode",
    summary: "the agent asks in a mode that the client did not advertise",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#checking-support"),
            requires: "the agent asks only in modes that the client advertised",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#checking-support"),
            requires: "the agent asks only in modes that the client advertised",
        },
    ],
    requirements: &["elicitation.mode-advertised"],
    explanation: r"
A client that did not advertise the mode cannot ask in it. It refuses with -32602, or the question
is never answered. An empty `elicitation` object advertises nothing; each mode needs its own object.
",
    tck: &["CLIENTCAP-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","error":{"code":-32602,"message":"Not supported"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"main"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"elicitation":{"url":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","error":{"code":-32602,"message":"Not supported"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"elicitation":{"form":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"main"}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let mode = call.param("mode")?.text()?;
    let capability = mode::capability(&mode.as_cow())?;
    let capabilities = connection.client_capabilities()?;
    if !capabilities.lacks(capability) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "the agent asks in the mode `{mode}`, which the client did not advertise"
        ))
        .at(mode, "not advertised")
        .at(capabilities.lack(capability), format!("`{capability}` is missing here"))
        .help("use only modes that the client advertised")
        .once_per(&*mode.as_cow())
        .into(),
    )
}
