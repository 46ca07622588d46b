use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "auth/retry-without-login",
    summary: "the client repeats a request without logging in",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/authentication#protocol-driven-authentication"),
        requires: "when the agent requires authentication, the client logs in before it repeats the request",
    }],
    explanation: r"
The agent refused the request because nobody is logged in. Nothing has changed since then, so it
refuses again. The user sees an error that a login would have solved.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Refused"}}
{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Refused"}}
{"jsonrpc":"2.0","id":2,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let offer = &connection.authentication;
    if call.id.is_none() || call.sender != Some(Side::Client) {
        return None;
    }
    if call.method == "authenticate" {
        return Some(Verdict::Pass);
    }
    // A login in a terminal is not on record.
    let may_be_elsewhere = offer.has_terminal;
    let method = call.method.as_cow();
    let refused = offer.refused(&method, call.session_id())?;
    (!may_be_elsewhere).then(|| {
        Finding::new(format!("the client repeats `{}` without logging in", call.method))
            .at(call.method, "the same request again")
            .at(refused, "the agent required authentication here")
            .help("log in first")
            .once_per(&*method)
            .into()
    })
}
