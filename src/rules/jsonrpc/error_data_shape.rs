use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/error-data-shape",
    summary: "the data of a session-not-found error does not name the requested session",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/error#unknown-sessions"),
            requires: "an error about an unknown session names it in `data.sessionId`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionNotFoundErrorData"),
            requires: "the data has the `sessionId`",
        },
    ],
    explanation: r"
A client with several sessions learns from `data.sessionId` which session no longer exists. With
another id it removes the wrong session. The same code is also for other things that were not found:
without a session in the data the finding is an info, unless the message mentions a session.
",
    tck: &["INFO-UNKNOWNSESSION-001"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"t","cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Session not found","data":{"sessionId":"s"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"t","cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Session not found","data":{"sessionId":"t"}}}"#,
    )],
    on: &[On::Answer(&[], check)],
    variants: &[(Severity::Info, "where the error may be about something else")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let requested = answer.request.session_id.as_deref()?;
    // session/status-unknown-code
    if answer.error_code()? != -32002 || &*answer.request.method == "session/status" {
        return None;
    }
    let data = answer.error()?.get("data").filter(|data| !data.is_null())?;
    let finding = match data.get("sessionId") {
        Some(named) if named.is(requested) => return Some(Verdict::Pass),
        Some(named) => {
            Finding::new(format!("the error does not name the requested session `{requested}`"))
                .at(named, "not the session of the request")
                .at(answer.request.at, format!("the request for session `{requested}`"))
        }
        // Another resource.
        None if ["uri", "path", "resource"].iter().any(|name| data.get(name).is_some()) => {
            return None;
        }
        None => {
            let finding = Finding::new("the data of a not-found error does not name a session")
                .at(data, "`sessionId` is missing here")
                .at(answer.request.at, format!("the request for session `{requested}`"));
            // Otherwise the error may be about another resource.
            let is_of_session = answer
                .error()?
                .get("message")
                .and_then(Node::text)
                .is_some_and(|message| message.as_cow().to_lowercase().contains("session"));
            finding.as_severity_if(!is_of_session, Severity::Info)
        }
    };
    Some(finding.help("set `data.sessionId` to the id of the requested session").into())
}
