//! What an answer to `session/load` or `session/resume` concludes.

use crate::model::{Answer, Connection, Session, session::attachment::Attachment};

/// The session that the answer confirms to be attached.
pub(super) fn session<'c>(answer: &Answer<'_>, connection: &'c Connection) -> Option<&'c Session> {
    answer.result()?;
    connection.session_named(answer.request.session_id.as_deref()?)
}

/// The same, and what has come since its request; `None` when another request followed that.
pub(super) fn attachment<'c>(
    answer: &Answer<'_>,
    connection: &'c Connection,
) -> Option<(&'c Session, &'c Attachment)> {
    let session = session(answer, connection)?;
    let attachment = session.attachment.as_deref()?;
    (attachment.number == answer.request.number).then_some((session, attachment))
}
