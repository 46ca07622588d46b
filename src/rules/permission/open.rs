//! Permission requests that wait for their answer.

use crate::{
    model::{Connection, Facts, Request, permission::Ask},
    protocol::Side,
};

/// The open permission requests of a session, in no order.
pub(super) fn of<'c>(
    connection: &'c Connection,
    session_id: &str,
) -> impl Iterator<Item = (&'c Request, &'c Ask)> {
    connection.rpc.open_of(Side::Agent).filter_map(move |request| match &request.facts {
        Facts::Permission(ask) if request.session_id.as_deref() == Some(session_id) => {
            Some((request, &**ask))
        }
        _ => None,
    })
}
