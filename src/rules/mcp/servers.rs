//! Reads the MCP servers that a request declares.

use crate::{event::Call, json::Node};

/// The MCP servers in a request; empty where it has no `mcpServers`.
pub(super) fn of<'t>(call: &Call<'t>) -> impl Iterator<Item = Node<'t>> {
    call.param("mcpServers").into_iter().flat_map(Node::elements)
}
