use crate::{
    rule::prelude::*,
    rules::capability::gate::{self, Marker, by_version, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/additional-directories",
    summary: "additional directories are sent to an agent that did not advertise them",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#additional-workspace-roots"),
            requires: "further roots are sent only to agents that advertise them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#additional-workspace-roots"),
            requires: "further roots are sent only to agents that advertise them",
        },
    ],
    explanation: r"
An agent that does not know the member works in `cwd` alone: the user has given it access to
directories that it never looks at, and nothing says so. An empty list is the same as none.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"additionalDirectories":["/lib"]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"additionalDirectories":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","additionalDirectories":["/lib"]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","additionalDirectories":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
    ],
    on: &[On::Call(&["session/new", "session/load", "session/resume", "session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = gate::agent(connection)?;
    let directories = call.param("additionalDirectories")?;
    if !has_sessions(connection) {
        return None;
    }
    let marker = by_version(
        connection,
        Marker::Object("sessionCapabilities.additionalDirectories"),
        Marker::Object("session.additionalDirectories"),
    );
    if directories.is_empty() || marker.is_in(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the agent did not advertise additional directories")
            .at(directories, format!("rests on the capability `{}`", marker.path()))
            .at(marker.lack(agent), "not advertised")
            .help("the agent works in `cwd` alone")
            .once_per("directories")
            .into(),
    )
}
