use crate::{
    rule::prelude::*,
    rules::capability::gate::{self, Marker, by_version},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/terminal-auth",
    summary: "the agent offers a terminal login to a client that did not advertise it",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#authentication-method-types"),
            requires: "terminal methods are offered only to clients that can run them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/authentication#authentication-method-types",
            ),
            requires: "terminal methods are offered only to clients that can run them",
        },
    ],
    explanation: r"
A client without a terminal for the purpose shows the method and passes it to the login call, or
fails to read the type. Either way the user cannot log in with it.
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
    let client = gate::client(connection)?;
    let methods = answer.result()?.get("authMethods")?;
    let marker =
        by_version(connection, Marker::Flag("auth.terminal"), Marker::Object("auth.terminal"));
    if marker.is_in(client) {
        return Some(Verdict::Pass);
    }
    let kinds = methods.elements().filter_map(|method| method.get("type"));
    let terminals = kinds.filter(|kind| kind.is("terminal"));
    Some(
        terminals
            .map(|kind| {
                Finding::new("the client did not advertise logins in a terminal")
                    .at(kind, format!("rests on the capability `{}`", marker.path()))
                    .at(marker.lack(client), "not advertised")
                    .help("leave the method out for this client")
            })
            .collect(),
    )
}
