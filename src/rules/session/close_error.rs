use crate::{rule::prelude::*, rules::codes};

pub(crate) static RULE: Rule = Rule {
    id: "session/close-error",
    summary: "closing a session fails",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CloseSessionRequest"),
        requires: "closing succeeds, even if the session is unknown or already closed",
    }],
    requirements: &["session.close-succeeds"],
    explanation: r"
After a close the client wants the session to be gone. It is gone, whether it existed or not. On an
error the client can only guess, and may keep a window open that the user cannot close.
",
    tck: &["CLOSE-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Answer(&["session/close"], check)],
    variants: &[(Severity::Info, "where the session is not found")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    let session = answer.request.session_id.as_deref().and_then(|id| connection.session_named(id));
    if session.is_some_and(|session| session.parent.is_some()) {
        return None; // Clients may not close subagents.
    }
    let code = answer.error_code().filter(|code| !codes::is_unrelated_to_params(*code))?;
    let finding = Finding::new("closing a session fails")
        .at(error.get("code")?, "must succeed")
        .at(answer.request.method_at, "the request")
        .help("answer a close with success, even if the session does not exist");
    Some(finding.as_severity_if(code == codes::NOT_FOUND, Severity::Info).into())
}
