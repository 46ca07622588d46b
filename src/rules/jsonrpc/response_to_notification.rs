use crate::{
    model::{Notification, StrayKind},
    rule::prelude::*,
    rules::jsonrpc::failure,
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/response-to-notification",
    summary: "a notification is answered",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Ids, Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: None,
            source: SourceText::JsonRpc("4.1"),
            requires: "a notification is not answered",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports"),
            requires: "a notification is not answered",
        },
    ],
    requirements: &[
        "ext.ignore-notifications",
        "jsonrpc.no-answer-to-notification",
        "jsonrpc.null-response-id",
    ],
    explanation: r"
A response with a null id reports an unreadable message, so it must be an error -32700 or -32600.
Any other response with a null id, or without one, answers a message without an id. Its sender cannot
use it, and some readers close the connection. Ignore unknown notifications in silence.
",
    tck: &["CANCEL-205", "JSONRPC-003", "BATCH-202", "EXT-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":null,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"_acme/focus","params":{}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}"#,
        ),
    ],
    on: &[On::Stray(check), On::Message(without_id)],
    ..Rule::DEFAULT
};

/// What the answer to a notification breaks.
fn broken(notification: Notification) -> &'static [&'static str] {
    const BROKEN: &[&str] = &["jsonrpc.no-answer-to-notification", "ext.ignore-notifications"];
    if notification.is_undefined { BROKEN } else { &BROKEN[..1] }
}

fn without_id(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    let notification = failure::answered_notification(message, connection)?;
    Some(
        Finding::new("a notification is answered")
            .at(message.node, "this answers a message without an id")
            .at(notification.at, "the notification before it")
            .help("answer only requests; ignore unknown notifications")
            .blaming(message.sender)
            .explains(message.node)
            .about(broken(notification))
            .into(),
    )
}

fn check(stray: &Stray<'_>, connection: &Connection) -> Option<Verdict> {
    if !matches!(stray.why, StrayKind::Null) {
        return None;
    }
    if let Some(error) = failure::error(stray.message) {
        // The rules about batches check the rejection of an element.
        let code = error.get("code")?.integer()?;
        let is_own = error.get("data").is_some_and(|data| data.get("acpxCode").is_some());
        if matches!(code, -32700 | -32600) || stray.batch.is_some() {
            return Some(Verdict::PassOf(&["jsonrpc.null-response-id"]));
        }
        // The client acpx writes its own errors into the recording.
        if is_own {
            return None;
        }
    }
    let finding = match connection.last_notification(stray.sender.map(Side::peer)) {
        Some(notification) => Finding::new("a notification is answered")
            .at(stray.node, "this answers a message without an id")
            .at(notification.at, "the notification before it")
            .about(broken(notification)),
        None => Finding::new("a response has a null id, but no notification was sent before it")
            .at(stray.node, "expected the id of the request")
            .about(&["jsonrpc.null-response-id"]),
    };
    Some(
        finding.help("answer only requests; a null id is only for errors -32700 and -32600").into(),
    )
}
