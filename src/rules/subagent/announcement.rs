//! Unknown sessions that the agent may still announce as subagents.

use crate::{
    model::{Connection, Session, SessionOrigin},
    protocol::{Edition, Side, Version},
};

/// Whether the agent may report subagents on this connection, so that an unknown session may be
/// one.
pub(crate) fn is_expected(connection: &Connection) -> bool {
    let is_open_to_all = connection.version() == Some(Version::V2)
        && connection.edition() >= Edition::LateNovember2026;
    let client = connection.client_capabilities();
    is_open_to_all
        || connection.expects_drafts()
        || client.is_some_and(|client| client.has("subagents"))
}

/// Whether the agent has used the session without announcing it as a subagent, so that an
/// announcement is due.
pub(crate) fn is_awaited(session: &Session) -> bool {
    let is_unexplained = matches!(session.origin, SessionOrigin::Assumed | SessionOrigin::Early);
    is_unexplained && session.parent.is_none() && session.first_sender == Some(Side::Agent)
}
