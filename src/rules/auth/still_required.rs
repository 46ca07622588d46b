use crate::{model::connection::auth::REQUIRED, protocol::methods, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "auth/still-required",
    summary: "authentication is required right after a successful login",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::each(Gates::NONE, Gates::INITIALIZED),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#protocol-driven-authentication"),
            requires: "after a successful login the client can use sessions",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("LoginAuthRequest"),
            requires: "after a successful login `session/new` no longer fails because authentication is required",
        },
    ],
    requirements: &["auth.login-suffices"],
    explanation: r"
The agent has just confirmed the login. If it then requires another one, the client can only log in
again, and the user never gets further. This rule is not about credentials that expire later.
",
    tck: &["AUTH-204"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#,
        ),
    ],
    on: &[On::Answer(&[], check)],
    variants: &[
        (Severity::Info, "more than an hour after the login"),
        (Severity::Warning, "for methods other than `session/new`"),
    ],
    ..Rule::DEFAULT
};

/// Seconds after which a login may have expired, so that a new demand for one is no fault.
const HOUR: f64 = 3600.0;

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let login = connection.authentication.login?;
    let method = &*answer.request.method;
    let is_later = answer.request.number > login.number;
    if !is_later
        || !answer.request.defined
        || methods::is_authentication(method)
        || method == "initialize"
    {
        return None;
    }
    if answer.error_code() != Some(REQUIRED) {
        return Some(Verdict::Pass);
    }
    // A logout without a response may already have taken effect.
    if connection.rpc.may_wait_for(Side::Client, &["logout", "auth/logout"]) {
        return None;
    }
    let code = answer.error()?.get("code")?;
    let finding =
        Finding::new(format!("`{method}` requires authentication after a successful login"))
            .at(code, "the agent requires authentication")
            .at(login.at, "the successful login")
            .at(answer.request.method_at, "the request")
            .help("if the login is not complete, answer it with an error");
    let has_aged = match (login.time, answer.at) {
        (Some(login), Some(now)) => now - login > HOUR,
        _ => false,
    };
    Some(
        if has_aged {
            finding.as_severity(Severity::Info)
        } else if method != "session/new" {
            finding.as_severity(Severity::Warning)
        } else {
            finding
        }
        .into(),
    )
}
