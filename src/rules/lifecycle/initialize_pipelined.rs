use crate::{
    event::Call,
    model::{Connection, Phase},
    protocol::{Side, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/initialize-pipelined",
    summary: "the client sends a request before `initialize` is answered",
    level: By::both(Level::Must),
    severity: By::each(Severity::Error, Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::DIRECTION),
    editions: By::both(Editions::ALL),
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
Extension methods and `$/cancel_request` may be sent at any time.
",
    tck: &[],
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
    on: &[On::Call(&[], check)],
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    let is_pipelined = match negotiation.phase() {
        Phase::Proposed => true,
        Phase::Agreed if negotiation.continued.is_none() => false,
        _ => return None,
    };
    let is_use = call.sender == Some(Side::Client)
        && call.id.is_some()
        && call.uses_protocol()
        && call.method != "initialize";
    if !is_use || connection.is_proxied() {
        return None;
    }
    if !is_pipelined {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new(format!("the client sends `{}` before `initialize` is answered", call.method))
            .at(call.method, "sent without knowing the version and the agent's capabilities")
            .and_at(negotiation.request, "not answered yet")
            .help("wait for the result of `initialize`")
            .once_per(negotiation.request_number);
    Some(finding.into())
}
