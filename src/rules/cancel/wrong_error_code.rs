use crate::{rule::prelude::*, rules::cancel::abort};

pub(crate) static RULE: Rule = Rule {
    id: "cancel/wrong-error-code",
    summary: "a cancelled request fails with an error code other than -32800",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/cancellation#cancel_request-notification"),
            requires: "a cancelled request is answered with data or with -32800",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/cancellation#cancel_request-notification"),
            requires: "a request that fails because it was cancelled is answered with -32800",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ErrorCode"),
            requires: "-32800 says that the request was cancelled",
        },
    ],
    requirements: &["cancel.answer-request"],
    explanation: r"
Only -32800 tells the sender that its cancellation ended the request. With any other code the sender
shows a failure, or tries again. The rule ignores errors that have another cause, such as an unknown
method or session. For prompts of version 2 see `prompt/error-on-cancel`.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Aborted"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#,
    )],
    on: &[On::Answer(&[], check)],
    variants: &[(Severity::Warning, "where the error may have another cause")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    /// The code that agents send for a cancellation instead of -32800. Other codes, such as that of
    /// a required login, are errors of the request itself.
    const GENERAL: i64 = -32603;
    let (at, number) = answer.request.cancelled?;
    let is_prompt = &*answer.request.method == "session/prompt";
    // `session/cancel` has rules of its own, as prompts of version 2 have.
    if is_prompt
        && (connection.version() != Some(Version::V1) || is_turn_cancelled(answer, connection))
    {
        return None;
    }
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    if abort::is_code(error) {
        return Some(Verdict::Pass);
    }
    let code = error.get("code")?;
    let is_abort = abort::is_named(error);
    let is_adjacent = connection.number() == number + 1;
    let is_general = code.integer()? == GENERAL;
    if !(is_abort || is_adjacent && is_general && !is_prompt) {
        return None;
    }
    let finding = Finding::new(format!(
        "the cancelled `{}` fails with error code {}",
        answer.request.method,
        code.shown()
    ))
    .at(code, "expected -32800")
    .at(at, "cancelled here")
    .at(answer.request.at, "the request")
    .help("answer a cancelled request with error -32800");
    Some(finding.as_severity_if(!is_abort, Severity::Warning).into())
}

/// Whether the answer is that of a prompt whose turn the client has also cancelled with
/// `session/cancel`.
fn is_turn_cancelled(answer: &Answer<'_>, connection: &Connection) -> bool {
    let id = answer.request.session_id.as_deref();
    let session = id.and_then(|id| connection.session_named(id));
    let cancel = session.and_then(|session| session.work.stops.cancel);
    cancel.is_some_and(|cancel| cancel.number > answer.request.number)
}
