use crate::{model::connection::auth::REQUIRED, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "auth/state-contradiction",
    summary: "the agent requires authentication although its auth status says otherwise",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("AuthState"),
        requires: "the state says whether authentication is needed",
    }],
    explanation: r"
The client trusts the reported state and does not offer a login. Then its request fails because
authentication is required. The state `authenticated` does not promise that the credentials are
still valid, so this is only an info.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"authMethods":[{"methodId":"web","name":"Browser","type":"agent"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"not_required"}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"authMethods":[{"methodId":"web","name":"Browser","type":"agent"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"not_required"}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Answer(&["session/new"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let authentication = &connection.authentication;
    // After a login, or without a method, other rules report it.
    if authentication.login.is_some() || !authentication.is_offered {
        return None;
    }
    let report = authentication.report.as_ref()?;
    if !matches!(&*report.state, "authenticated" | "not_required") {
        return None;
    }
    if answer.error_code() != Some(REQUIRED) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "the agent requires authentication, but it reported the state `{}`",
            report.state
        ))
        .at(answer.error()?.get("code")?, "the agent requires authentication")
        .at(report.at, "the reported state")
        .once_per("state")
        .into(),
    )
}
