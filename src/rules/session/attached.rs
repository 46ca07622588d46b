//! The session that a response to `session/load` or `session/resume` attaches.

use crate::{
    event::Call,
    model::{Answer, Connection, Session, session::attachment::Attachment},
    rule::{Finding, Verdict},
};

/// The session that a successful response to `session/load` or `session/resume` attaches; `None`
/// for errors.
pub(super) fn session<'c>(answer: &Answer<'_>, connection: &'c Connection) -> Option<&'c Session> {
    answer.result()?;
    connection.session_named(answer.request.session_id.as_deref()?)
}

/// The calls before which a replay has to be over: those that use a session, attach it or end it.
pub(super) const FOLLOWING: [&str; 5] =
    ["session/prompt", "session/load", "session/resume", "session/close", "session/delete"];

/// Checks the attachment of the session that a call of the client names.
pub(super) fn before(
    call: &Call<'_>,
    connection: &Connection,
    check: impl FnOnce(&str, &Session, &Attachment) -> Option<Finding>,
) -> Option<Verdict> {
    let id = call.session_id()?;
    let session = connection.session(id)?;
    check(&id.as_cow(), session, session.attachment.as_deref()?).map(Verdict::from)
}

/// Checks the attachments of all sessions at the end of the connection.
pub(super) fn at_end(
    connection: &Connection,
    check: impl Fn(&str, &Session, &Attachment) -> Option<Finding>,
) -> Option<Verdict> {
    let found = connection
        .sessions()
        .filter_map(|(id, session)| check(id, session, session.attachment.as_deref()?));
    Verdict::failed(found.collect())
}

/// The session that a successful response attaches, and what was sent for it since the request.
/// `None` when another request attaches it at the same time, and when the client has cancelled the
/// request, which may then be answered with a part.
pub(super) fn attachment<'c>(
    answer: &Answer<'_>,
    connection: &'c Connection,
) -> Option<(&'c Session, &'c Attachment)> {
    let session = session(answer, connection)?;
    let attachment = session.attachment.as_deref()?;
    let is_whole = attachment.number == answer.request.number
        && !attachment.is_shared
        && !answer.request.may_be_cancelled;
    is_whole.then_some((session, attachment))
}
