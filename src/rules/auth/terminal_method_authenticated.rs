use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "auth/terminal-method-authenticated",
    summary: "a terminal method is passed to the login call",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#terminal-authentication"),
            requires: "a terminal method is carried out by running the agent in a terminal, not by `authenticate`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/authentication#terminal-authentication"),
            requires: "a terminal method is carried out by running the agent in a terminal, not by `auth/login`",
        },
    ],
    explanation: r"
A terminal method asks the client to start the agent's binary with the given arguments in an
interactive terminal, where the user logs in. The agent behind the connection has nothing to do
then, and refuses the call.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Browser"},{"id":"tty","name":"Terminal","type":"terminal"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"tty"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Browser"},{"id":"tty","name":"Terminal","type":"terminal"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"web"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"web","name":"Browser"},{"type":"terminal","methodId":"tty","name":"Terminal"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"tty"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"web","name":"Browser"},{"type":"terminal","methodId":"tty","name":"Terminal"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"web"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
    ],
    on: &[On::Call(&["authenticate", "auth/login"], check)],
    variants: &[(Severity::Info, "for a custom type")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("methodId")?.text()?;
    let method = connection.authentication.method(&id.as_cow())?;
    match method.kind.as_deref() {
        Some("terminal") => Some(
            Finding::new(format!("terminal method `{id}` is passed to `{}`", call.method))
                .at(id, "carried out in a terminal only")
                .at(method.at, "offered as a terminal method")
                .help("run the agent with the method's `args` and `env` in a terminal")
                .into(),
        ),
        Some(kind) if kind.starts_with('_') => Some(
            Finding::new(format!(
                "method `{id}` of the custom type `{kind}` is passed to `{}`",
                call.method
            ))
            .at(id, "whether it has a login call, only its vendor knows")
            .at(method.at, "offered here")
            .as_severity(Severity::Info)
            .into(),
        ),
        _ => Some(Verdict::Pass),
    }
}
