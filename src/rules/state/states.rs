//! Questions about the state of a session that several rules of this family ask.

use crate::{
    event::Update,
    json::Node,
    model::{Connection, Session, session::work::Cancel},
};

/// The session of an update; `None` when the session is unknown or is being replayed.
pub(in crate::rules) fn live<'c>(
    update: &Update<'_>,
    connection: &'c Connection,
) -> Option<&'c Session> {
    connection.session(update.session_id).filter(|session| !session.is_replaying())
}

/// Whether the session is idle, or was idle and the agent has since reported only states that the
/// protocol does not define.
pub(super) fn is_idle_or_custom(session: &Session) -> bool {
    let since = &session.activity.since_idle;
    let was_idle = since.is_after_idle || session.is_fully_recorded();
    session.is_idle() || (since.custom.is_some() && !since.is_standard && was_idle)
}

/// Whether the agent has certainly received a cancellation before it sent the update: it sent
/// another message in between, or a second has passed.
pub(super) fn is_received(cancel: &Cancel, update: &Update<'_>) -> bool {
    let seconds = cancel.time.zip(update.at).map(|(then, now)| now - then);
    cancel.after.is_some() || seconds.is_some_and(|seconds| seconds >= 1.0)
}

/// Whether an update reports a second end of work whose end was already reported as cancelled,
/// without a prompt or output in between.
pub(super) fn ends_again(session: &Session, update: &Update<'_>) -> bool {
    let work = &session.work;
    let is_idle = update.update.get("state").is_some_and(|state| state.is("idle"));
    let reason = update.update.get("stopReason").and_then(Node::text);
    is_idle
        && reason.is_some_and(|reason| reason != "cancelled")
        && work.output.is_none()
        && work.stops.cancelled_idle.is_some_and(|idle| work.prompted < idle.number)
}
