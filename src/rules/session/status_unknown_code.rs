use crate::{rule::prelude::*, rules::codes};

pub(crate) static RULE: Rule = Rule {
    id: "session/status-unknown-code",
    summary: "a status request for an unknown session fails with the wrong error",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionStatusRequest"),
        requires: "if a session does not exist, the code is -32002 and `data` has its id",
    }],
    requirements: &["session.status-unknown"],
    explanation: r"
The client cannot tell a missing session from a temporary failure. So it keeps the session in its
list and asks again and again.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/status","params":{"sessionId":"no"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/status","params":{"sessionId":"no"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Refused","data":{"sessionId":"no"}}}"#,
    )],
    on: &[On::Answer(&["session/status"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let error = answer.error()?;
    let code = answer.error_code().filter(|code| !codes::is_unrelated_to_params(*code))?;
    let named = error.get("data").and_then(|data| data.get("sessionId"));
    if code == codes::NOT_FOUND && named.is_some_and(|named| named.is(id)) {
        return Some(Verdict::Pass);
    }
    let is_unknown = connection
        .session_named(id)
        .is_none_or(|session| session.first_number == answer.request.number);
    if code == codes::NOT_FOUND {
        let finding =
            Finding::new("the error for an unknown session has no `data.sessionId` with its id");
        let finding = match named {
            Some(named) => finding.at(named, "another session"),
            None => finding.at(error, "does not say which session"),
        };
        return Some(finding.at(answer.request.method_at, "the request").into());
    }
    is_unknown.then(|| {
        Finding::new(format!("the status request for an unknown session fails with {code}"))
            .at(error.get("code").unwrap_or(error), "reads as another failure")
            .at(answer.request.method_at, "the request")
            .help("answer with -32002 and the id in `data.sessionId`")
            .into()
    })
}
