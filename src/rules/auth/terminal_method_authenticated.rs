use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "auth/terminal-method-authenticated",
    summary: "the client passes a terminal method to the login call",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#terminal-authentication"),
            requires: "for a terminal method the client runs the agent in a terminal and does not call `authenticate`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/authentication#terminal-authentication"),
            requires: "for a terminal method the client runs the agent in a terminal and does not call `auth/login`",
        },
    ],
    requirements: &["auth.login-kind-v2", "auth.login-method-kind"],
    explanation: r"
For a terminal method the client starts the agent's program in an interactive terminal, with the
`args` and `env` of the method. The user logs in there. The connected agent has nothing to do, so it
refuses the call.
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
    on: &[On::Call(methods::LOG_IN, check)],
    variants: &[(Severity::Info, "for a custom type")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("methodId")?.text()?;
    let method = connection.authentication.method(&id.as_cow())?;
    match method.kind.as_deref() {
        Some("terminal") => Some(
            Finding::new(format!("the client passes terminal method `{id}` to `{}`", call.method))
                .at(id, "works only in a terminal")
                .at(method.at, "offered as a terminal method")
                .help("run the agent with the method's `args` and `env` in a terminal")
                .into(),
        ),
        Some(kind) if kind.starts_with('_') => Some(
            Finding::new(format!(
                "the client passes method `{id}` of the custom type `{kind}` to `{}`",
                call.method
            ))
            .at(id, "only its vendor knows whether this method has a login call")
            .at(method.at, "offered here")
            .as_severity(Severity::Info)
            .into(),
        ),
        _ => Some(Verdict::Pass),
    }
}
