//! The session that a response to `session/load` or `session/resume` attaches.

use crate::model::{Answer, Connection, Session, session::attachment::Attachment};

/// The session that a successful response to `session/load` or `session/resume` attaches; `None`
/// for errors.
pub(super) fn session<'c>(answer: &Answer<'_>, connection: &'c Connection) -> Option<&'c Session> {
    answer.result()?;
    connection.session_named(answer.request.session_id.as_deref()?)
}

/// The session that a successful response attaches, and what was sent for it since the request.
/// `None` when a later request attaches it too.
pub(super) fn attachment<'c>(
    answer: &Answer<'_>,
    connection: &'c Connection,
) -> Option<(&'c Session, &'c Attachment)> {
    let session = session(answer, connection)?;
    let attachment = session.attachment.as_deref()?;
    (attachment.number == answer.request.number).then_some((session, attachment))
}
