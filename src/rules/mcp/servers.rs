//! The MCP servers that a request declares.

use crate::{event::Call, json::Node};

/// The requests that declare servers.
pub(super) const SETUPS: &[&str] = crate::protocol::methods::SET_UP_SESSION;

/// The servers of a request.
pub(super) fn of<'t>(call: &Call<'t>) -> impl Iterator<Item = Node<'t>> {
    call.param("mcpServers").into_iter().flat_map(Node::elements)
}
