use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability, by_version, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/additional-directories",
    summary: "the client sends additional directories that the agent did not advertise",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#additional-workspace-roots"),
            requires: "a client sends additional directories only to agents that advertise them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#additional-workspace-roots"),
            requires: "a client sends additional directories only to agents that advertise them",
        },
    ],
    requirements: &["capability.gated-params"],
    explanation: r"
An agent that does not know the member works in `cwd` alone. The user has given it access to more
directories, and nothing says that it ignores them. An empty list is the same as none.
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
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection)?;
    let directories = call.param("additionalDirectories")?;
    if !has_sessions(connection) {
        return None;
    }
    let capability = by_version(
        connection,
        Capability::Object("sessionCapabilities.additionalDirectories"),
        Capability::Object("session.additionalDirectories"),
    );
    if directories.is_empty() || !capability.is_missing_from(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(
            "the client sends additional directories, but the agent did not advertise them",
        )
        .at(directories, format!("requires the capability `{}`", capability.path()))
        .at(capability.lack(agent), "not advertised")
        .help("leave them out; the agent works in `cwd` alone")
        .once_per("directories")
        .into(),
    )
}
