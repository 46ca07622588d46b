use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/archive-filter",
    summary: "the client filters by archive state, but the agent did not advertise archiving",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ListSessionsRequest"),
        requires: "a client sends `archived` only to agents that advertise archives",
    }],
    requirements: &["session.archive-filter-only"],
    explanation: r"
An agent without archives ignores the filter or refuses the request. If it ignores the filter, the
client shows all sessions as archived.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"archived":"only"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"archived":"only"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
    )],
    on: &[On::Call(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection).filter(|_| has_sessions(connection))?;
    let capability = needs::archives(connection);
    let filter = call.param("archived").filter(|filter| !filter.is_null())?;
    if !capability.is_missing_from(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(
            "the client filters by archive state, but the agent did not advertise archiving",
        )
        .at(filter, format!("requires the capability `{}`", capability.path()))
        .at(capability.lack(agent), "not advertised")
        .help("leave `archived` out for this agent")
        .once_per("archive")
        .into(),
    )
}
