//! The permission requests of a session that have no response yet.

use crate::{
    model::{
        Connection, Request, RequestFacts, connection::rpc::LOOKED_AT,
        request::permission::PermissionRequest,
    },
    protocol::Side,
};

/// The last open permission requests of a session, at most [`LOOKED_AT`], in the order in which
/// they were sent.
pub(super) fn of<'c>(
    connection: &'c Connection,
    session_id: &str,
) -> impl Iterator<Item = (&'c Request, &'c PermissionRequest)> {
    let open = connection.rpc.open_in(session_id, Side::Agent, "session/request_permission");
    let latest: Vec<_> = open.rev().take(LOOKED_AT).collect();
    latest.into_iter().rev().filter_map(|request| match &request.facts {
        RequestFacts::Permission(ask) => Some((request, &**ask)),
        _ => None,
    })
}
