use crate::{rule::prelude::*, rules::cancel::abort};

pub(crate) static RULE: Rule = Rule {
    id: "cancel/error-response",
    summary: "a cancelled turn ends with an error",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
        requires: "the agent catches errors that a cancellation causes, and answers the prompt with `cancelled`",
    }],
    requirements: &["cancel.no-error"],
    explanation: r"
The user pressed stop, and the client now shows an error. Stopping the model or a tool usually
raises an exception in the agent: catch it and answer with the stop reason `cancelled`. An error is
right only if the client cancelled the prompt with `$/cancel_request`.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    variants: &[(Severity::Warning, "where the error may have another cause")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let cancel =
        session.work.stops.cancel.filter(|cancel| cancel.number > answer.request.number)?;
    if answer.request.may_be_cancelled {
        return None;
    }
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    let finding = Finding::new("a cancelled turn ends with an error")
        .at(error, "expected the stop reason `cancelled`")
        .at(cancel.at, "the client cancels the turn")
        .at(answer.request.at, "the prompt")
        .help("catch the errors that the cancellation causes, and answer with `cancelled`");
    // Other errors may be unrelated to the cancellation, unless they mention it.
    let is_abort = abort::is_code(error) || abort::is_named(error);
    Some(finding.as_severity_if(!is_abort, Severity::Warning).into())
}
