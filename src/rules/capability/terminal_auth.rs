use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability, by_version},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/terminal-auth",
    summary: "the agent offers a terminal login to a client that did not advertise `auth.terminal`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#authentication-method-types"),
            requires: "an agent offers terminal methods only to clients that advertise `auth.terminal`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/authentication#authentication-method-types",
            ),
            requires: "an agent offers terminal methods only to clients that advertise `auth.terminal`",
        },
    ],
    requirements: &["auth.terminal-advertised"],
    explanation: r"
A client that cannot run the login in a terminal shows the method anyway, or cannot read its type.
Either way the user cannot log in with it.
",
    tck: &["AUTH-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"tty","name":"Terminal","type":"terminal"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"tty","name":"Terminal","type":"terminal"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"methodId":"tty","name":"Terminal","type":"terminal"}],"info":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"methodId":"tty","name":"Terminal","type":"terminal"}],"info":{"name":"agent","version":"1.0.0"}}}"#,
        ),
    ],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let client = needs::advertised_by_client(connection)?;
    let methods = answer.result()?.get("authMethods")?;
    let capability = by_version(
        connection,
        Capability::Flag("auth.terminal"),
        Capability::Object("auth.terminal"),
    );
    let kinds = methods.elements().filter_map(|method| method.get("type"));
    let terminals = kinds.filter(|kind| kind.is("terminal"));
    Verdict::on_each(terminals, |kind| {
        capability.is_missing_from(client).then(|| {
            Finding::new(
                "the agent offers a terminal login, but the client did not advertise terminal logins",
            )
            .at(kind, format!("requires the capability `{}`", capability.path()))
            .at(capability.lack(client), "not advertised")
            .help("leave the method out for this client")
        })
    })
}
