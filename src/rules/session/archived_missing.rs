use crate::{json::Kind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/archived-missing",
    summary: "a listed session has no `archived`, although the agent advertises archiving",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionInfo"),
        requires: "an agent that advertises archiving says for each listed session whether it is \
                   archived",
    }],
    requirements: &["session.archived-listed"],
    explanation: r"
Without the member, the client does not know where to show the session and whether to offer to
unarchive it. Official readers take a missing member as unknown.
",
    examples: &[
        Example::new(
            Surface::V1Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"archive":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"archive":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work","archived":false}]}}"#,
        ),
        Example::new(
            Surface::V2Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work","archived":false}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = connection.agent_capabilities()?;
    let path = match connection.version() {
        Some(Version::V2) => "session.archive",
        _ => "sessionCapabilities.archive",
    };
    let archive = agent.get(path).filter(|found| found.kind() == Kind::Object)?;
    let sessions = answer.result()?.get("sessions")?;
    let is_bare =
        |entry: &Node<'_>| entry.is_object() && entry.get("archived").is_none_or(Node::is_null);
    let bare = sessions.elements().find(is_bare);
    Some(Verdict::from(bare.map(|entry| {
        Finding::new("a listed session has no `archived`")
            .at(Mark::missing_in(entry), "`archived` is missing here")
            .at(archive, "the agent advertises archiving")
            .once_per("archived")
    })))
}
