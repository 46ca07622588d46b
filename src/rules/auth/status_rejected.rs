use crate::{model::connection::auth::REQUIRED, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "auth/status-rejected",
    summary: "the agent requires authentication for `auth/status`",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("AuthStatusRequest"),
            requires: "`auth/status` works without a login",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AuthStatusRequest"),
            requires: "`auth/status` works without a login",
        },
    ],
    requirements: &["auth.status-answers"],
    explanation: r#"
A client sends `auth/status` to find out whether a login is needed. If the agent answers with the
error "authentication required", clients treat it as a failure of the query.
"#,
    examples: &[
        Example::new(
            Surface::V1Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"auth":{"status":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"auth":{"status":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"state":"unauthenticated"}}"#,
        ),
        Example::new(
            Surface::V2Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"authMethods":[{"type":"agent","methodId":"web","name":"Browser"}],"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"state":"unauthenticated"}}"#,
        ),
    ],
    on: &[On::Answer(&["auth/status"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    if answer.error_code() != Some(REQUIRED) {
        return Some(Verdict::Pass);
    }
    let code = answer.error()?.get("code")?;
    Some(
        Finding::new("the agent requires authentication for `auth/status`")
            .at(code, "the agent requires authentication")
            .at(answer.request.method_at, "the request")
            .help("answer with the state `unauthenticated`")
            .into(),
    )
}
