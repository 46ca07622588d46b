use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability, by_version},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/session-info-directories",
    summary: "a listed session has additional directories, but the agent did not advertise them",
    level: By::both(Level::Derived),
    severity: By::each(Severity::Warning, Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list"),
            requires: "listed sessions have additional directories only if the agent advertises that capability",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionInfo"),
            requires: "listed sessions have additional directories only if the agent advertises that capability",
        },
    ],
    explanation: r"
To resume the session, a client has to send its directories again. It may not do so, because the
agent did not advertise additional directories. Either the agent forgot the capability, or the
member is useless.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"old","cwd":"/work","additionalDirectories":["/lib"]}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"additionalDirectories":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"old","cwd":"/work","additionalDirectories":["/lib"]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"old","cwd":"/work","additionalDirectories":["/lib"]}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"additionalDirectories":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"old","cwd":"/work","additionalDirectories":["/lib"]}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection)?;
    let sessions = answer.result()?.get("sessions")?;
    let capability = by_version(
        connection,
        Capability::Object("sessionCapabilities.additionalDirectories"),
        Capability::Object("session.additionalDirectories"),
    );
    let mut directories =
        sessions.elements().filter_map(|entry| entry.get("additionalDirectories"));
    let directories = directories.find(|directories| !directories.is_empty())?;
    let finding = capability.is_missing_from(agent).then(|| {
        Finding::new(
            "a listed session has additional directories, but the agent did not advertise them",
        )
        .at(directories, format!("requires the capability `{}`", capability.path()))
        .at(capability.lack(agent), "not advertised")
        .help(capability.advice())
        .once_per("directories")
    });
    Some(finding.into())
}
