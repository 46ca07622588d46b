use crate::{
    model::{Anchor, RequestFacts, Session},
    rule::prelude::*,
    rules::{cancel::abort, codes},
};

pub(crate) static RULE: Rule = Rule {
    id: "session/close-pending-prompt-code",
    summary: "a prompt that closing the session stops is not answered as cancelled",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    variants: &[(
        Severity::Warning,
        "on version 1, where the error may have another cause, or there is another stop reason",
    )],
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

/// What the answer to a prompt shows that is in the conversation.
const INSERTED: &[&str] = &["session.close-inserted"];
/// What the answer to a prompt shows that closing keeps out of the conversation.
const UNINSERTED: &[&str] = &["session.close-cancels", "session.close-uninserted"];

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let closing = session.info.closing.filter(|closing| closing.number > answer.request.number)?;
    if connection.version() == Some(Version::V1) {
        return stopped(answer, session, closing.at);
    }
    let Some(error) = answer.error() else { return Some(Verdict::PassOf(INSERTED)) };
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
            .about(INSERTED)
            .into(),
        );
    }
    if answer.error_code()? == codes::CANCELLED {
        return Some(Verdict::PassOf(UNINSERTED));
    }
    Some(
        Finding::new("a prompt stopped by closing the session fails with another code than -32800")
            .at(error.get("code")?, "reads as a failure")
            .about(&["session.close-uninserted"])
            .at(answer.request.method_at, "the prompt")
            .at(closing.at, "the client closes the session")
            .into(),
    )
}

/// Checks the answer to a prompt of version 1 that was open when the client closed the session.
fn stopped(answer: &Answer<'_>, session: &Session, closing: Anchor) -> Option<Verdict> {
    // Other rules report what follows a cancellation. Whoever cancels the request itself gets an
    // error.
    if session.cancelled.is_some() || answer.request.may_be_cancelled {
        return None;
    }
    let finding = if let Some(error) = answer.error() {
        let is_certain =
            session.closed.is_some() || abort::is_named(error) || tells_of_closing(error);
        Finding::new("a prompt that closing the session stops ends with an error")
            .at(error, "expected the stop reason `cancelled`")
            .as_severity_if(!is_certain, Severity::Warning)
    } else {
        let reason = answer.result()?.get("stopReason")?;
        if reason.is("cancelled") {
            return Some(Verdict::Pass);
        }
        // The turn may have ended by itself before the session was closed.
        session.closed?;
        Finding::new("a prompt of a closed session does not end as cancelled")
            .at(reason, "expected `cancelled`")
            .as_severity(Severity::Warning)
    };
    Some(
        finding
            .at(closing, "the client closes the session")
            .at(answer.request.method_at, "the prompt")
            .help("closing cancels the turn: answer the prompt with `cancelled`")
            .into(),
    )
}

/// Whether the text of an error says that something, such as the session, was closed.
fn tells_of_closing(error: Node<'_>) -> bool {
    let texts = error.get("message").into_iter().flat_map(Node::texts);
    texts.into_iter().any(|text| text.as_cow().to_ascii_lowercase().contains("clos"))
}
