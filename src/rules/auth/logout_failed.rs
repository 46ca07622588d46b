use crate::{rule::prelude::*, rules::codes};

pub(crate) static RULE: Rule = Rule {
    id: "auth/logout-failed",
    summary: "a logout fails",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/authentication#logging-out"),
            requires: "an agent that offers login methods also supports logout",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("LogoutAuthRequest"),
            requires: "an agent that offers login methods also supports logout",
        },
    ],
    explanation: r"
The user wants the credentials removed, perhaps on a shared machine. After a failed logout the user
cannot know whether they are still there. The failure may be a temporary one, so this is a warning.
",
    tck: &["AUTH-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"methodId":"web","name":"Browser","type":"agent"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"web"}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"auth/logout","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"methodId":"web","name":"Browser","type":"agent"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"web"}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"auth/logout","params":{}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Answer(&["auth/logout"], check)],
    variants: &[(Severity::Info, "where no login came before")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let offer = &connection.authentication;
    if !offer.is_offered {
        return None;
    }
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    answer
        .error_code()
        .filter(|code| ![codes::METHOD_NOT_FOUND, codes::CANCELLED].contains(code))?;
    let finding = Finding::new("the logout fails")
        .at(error.get("code")?, "the logout should succeed")
        .at(answer.request.method_at, "the logout request")
        .and_at(offer.login.map(|login| login.at), "the login");
    Some(finding.as_severity_if(offer.login.is_none(), Severity::Info).into())
}
