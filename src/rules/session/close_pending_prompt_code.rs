use crate::{model::RequestFacts, rule::prelude::*, rules::codes};

pub(crate) static RULE: Rule = Rule {
    id: "session/close-pending-prompt-code",
    summary: "a prompt that closing the session stops is not answered as cancelled",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#closing-active-sessions"),
            requires: "closing a session cancels its work as `session/cancel` does",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CloseSessionRequest"),
            requires: "a prompt that is stopped by closing the session gets -32800",
        },
    ],
    requirements: &["session.close-cancels", "session.close-inserted", "session.close-uninserted"],
    explanation: r"
The client closed the session itself, so it is not a failure that its prompt was stopped. On version
1, the stop reason `cancelled` tells the client that, as after `session/cancel`; on version 2, the
code -32800. It shows any other error to the user.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Refused"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let closing = session.info.closing.filter(|closing| closing.number > answer.request.number)?;
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    if connection.version() == Some(Version::V1) {
        // Whoever cancels the request itself gets an error.
        return (!answer.request.may_be_cancelled).then(|| {
            Finding::new("a prompt that closing the session stops ends with an error")
                .at(error, "expected the stop reason `cancelled`")
                .at(closing.at, "the client closes the session")
                .at(answer.request.method_at, "the prompt")
                .help("closing cancels the turn: answer the prompt with `cancelled`")
                .into()
        });
    }
    let shown = match &answer.request.facts {
        RequestFacts::Prompt(prompt) => session.work.shown(prompt, answer.request.number).next(),
        _ => None,
    };
    if let Some(shown) = shown {
        return Some(
            Finding::new(
                "closing fails a prompt although its message is already in the conversation",
            )
            .at(error, "fails here")
            .at(shown.at, "inserted here")
            .at(answer.request.method_at, "the prompt")
            .at(closing.at, "the client closes the session")
            .help("answer with the id of the message")
            .into(),
        );
    }
    if answer.error_code()? == codes::CANCELLED {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("a prompt stopped by closing the session fails with another code than -32800")
            .at(error.get("code")?, "reads as a failure")
            .at(answer.request.method_at, "the prompt")
            .at(closing.at, "the client closes the session")
            .into(),
    )
}
