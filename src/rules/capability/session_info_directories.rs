use crate::{
    rule::prelude::*,
    rules::capability::gate::{self, Marker, by_version},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/session-info-directories",
    summary: "a listed session has additional directories that the agent did not advertise",
    level: By::both(Level::Derived),
    severity: By::each(Severity::Warning, Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list"),
            requires: "additional directories of listed sessions belong to the capability of that name",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionInfo"),
            requires: "additional directories of listed sessions belong to the capability of that name",
        },
    ],
    explanation: r"
A client that resumes the session has to send its directories again, and may not, as the agent did
not advertise them. Either the capability was forgotten or the member says nothing.
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
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"old","cwd":"/work","additionalDirectories":["/lib"]}]}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"old","cwd":"/work","additionalDirectories":[]}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = gate::agent(connection)?;
    let sessions = answer.result()?.get("sessions")?;
    let marker = by_version(
        connection,
        Marker::Object("sessionCapabilities.additionalDirectories"),
        Marker::Object("session.additionalDirectories"),
    );
    if marker.is_in(agent) {
        return Some(Verdict::Pass);
    }
    let mut directories =
        sessions.elements().filter_map(|entry| entry.get("additionalDirectories"));
    let listed = directories.find(|directories| !directories.is_empty());
    Some(Verdict::from(listed.map(|directories| {
        Finding::new("a session is listed with directories that the agent did not advertise")
            .at(directories, format!("belongs to the capability `{}`", marker.path()))
            .at(marker.lack(agent), "not advertised")
            .help(marker.advice())
            .once_per("directories")
    })))
}
