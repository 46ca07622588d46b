use crate::{model::connection::auth::REQUIRED, protocol::methods, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "auth/required-without-methods",
    summary: "authentication is required but no method is offered",
    level: By::each(Level::Derived, Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#advertising-authentication"),
            requires: "an agent offers its login methods in the answer to `initialize`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/authentication#advertising-authentication"),
            requires: "an agent that may require authentication offers login methods",
        },
    ],
    explanation: r"
The client is told to log in, but the agent offers no way to do it. The client can only show an
error. If the only methods are terminal logins and the client cannot run them, explain that in the
error message.
",
    tck: &["AUTH-205"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"login","name":"Log in"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Refused"}}"#,
    )],
    on: &[On::Answer(&[], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let offer = &connection.authentication;
    let at = offer.offer?;
    let request = answer.request;
    if methods::is_authentication(&request.method) {
        return None; // out of place anyhow
    }
    // Other rules report this code where it has another meaning.
    if !request.defined || request.sender != Some(Side::Client) {
        return None;
    }
    if answer.error_code() != Some(REQUIRED) {
        return None;
    }
    if offer.is_offered {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("authentication is required, but no method is offered")
            .at(answer.error()?.get("code")?, "the agent requires authentication")
            .at(at, "no method is offered here")
            .help("offer a method in `authMethods`, or say in the error message how to log in")
            .once_per("methods")
            .into(),
    )
}
