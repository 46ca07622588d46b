//! Requests to MCP servers that travel inside `mcp/message`.

use crate::{event::Call, model::request::id::Id};

/// Identifies an MCP request that `mcp/message` carries: the `serverId`, and the `requestId` on
/// that server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InnerRequest {
    pub server: Box<str>,
    pub id: Id,
}

impl InnerRequest {
    /// The MCP request that an `mcp/message` carries; `None` when the message lacks `serverId` or
    /// `requestId`.
    pub fn of(call: &Call<'_>) -> Option<Self> {
        let server = call.param("serverId")?.text()?.to_boxed();
        Some(Self { server, id: Id::of(call.param("requestId")?) })
    }
}
