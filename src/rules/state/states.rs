//! Which state a session is in, and what a new one follows on.

use crate::{
    event::Update,
    json::Node,
    model::{
        Connection, Session,
        session::{activity::AgentState, work::Cancel},
    },
};

/// The session of an update, unless its history is being told.
pub(super) fn live<'c>(update: &Update<'_>, connection: &'c Connection) -> Option<&'c Session> {
    connection.session(update.session_id).filter(|session| !session.is_replaying())
}

/// Whether the session is known to be idle: as reported last, or because it was just created.
pub(super) fn is_idle(session: &Session) -> bool {
    match session.activity.state {
        AgentState::Idle => true,
        AgentState::Unset => session.is_fully_recorded(),
        AgentState::Running | AgentState::RequiresAction | AgentState::Other => false,
    }
}

/// Whether the agent must have known of the cancellation when it sent the update: it has sent
/// something else in between, or had a second.
pub(super) fn is_heeded(cancel: &Cancel, update: &Update<'_>) -> bool {
    let seconds = cancel.time.zip(update.at).map(|(then, now)| now - then);
    cancel.after.is_some() || seconds.is_some_and(|seconds| seconds >= 1.0)
}

/// Whether the update tells another end of work that has ended as cancelled, with nothing asked or
/// said in between.
pub(super) fn ends_again(session: &Session, update: &Update<'_>) -> bool {
    let work = &session.work;
    let is_idle = update.update.get("state").is_some_and(|state| state.is("idle"));
    let reason = update.update.get("stopReason").and_then(Node::text);
    is_idle
        && reason.is_some_and(|reason| reason != "cancelled")
        && work.output.is_none()
        && work.stops.cancelled_idle.is_some_and(|idle| work.prompted < idle.number)
}
