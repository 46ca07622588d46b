//! Reads the error of a response.

use crate::{
    event::{Envelope, Message},
    json::Node,
    model::{Anchor, Connection, Notification},
    protocol::Side,
    rules::codes,
};

/// The error of a response; `None` for other messages, and for `"error": null` beside a result.
pub(super) fn error<'t>(message: &Message<'t>) -> Option<Node<'t>> {
    let Envelope { method: None, result, error, .. } = message.envelope else { return None };
    error.filter(|error| result.is_none() || !error.is_null())
}

/// The notification that a response without an id seems to answer: the other side's last call, if
/// no open request fits. `None` for other messages.
pub(super) fn answered_notification(
    message: &Message<'_>,
    connection: &Connection,
) -> Option<Notification> {
    let Envelope { id: None, method: None, result, error, .. } = message.envelope else {
        return None;
    };
    result.or(error)?;
    // Clients send what agents do not know.
    let responder = message.sender.unwrap_or(Side::Agent);
    let peer = responder.peer();
    let notification = connection.last_notification(Some(peer))?;
    let is_earlier = |at: Anchor| at.span().start < notification.at.span().start;
    let is_last = connection.rpc.last_asked(Some(responder)).is_none_or(is_earlier);
    // A request of the protocol is not answered with that error.
    let is_unknown = || code(message).is_some_and(|(code, _)| code == codes::METHOD_NOT_FOUND);
    (is_last && (connection.rpc.last_open(peer).is_none() || is_unknown())).then_some(notification)
}

/// The error code of a response, and its place; `None` for responses without error, or with a code
/// that is not an integer.
pub(super) fn code<'t>(message: &Message<'t>) -> Option<(i64, Node<'t>)> {
    let code = error(message)?.get("code")?;
    Some((code.integer()?, code))
}
