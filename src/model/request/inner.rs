//! Requests to MCP servers that travel inside `mcp/message`.

use crate::{event::Call, model::request::id::Id};

/// An inner request: the server and the id on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InnerRequest {
    pub server: Box<str>,
    pub id: Id,
}

impl InnerRequest {
    /// The inner request of a `mcp/message`; `None` when it names none.
    pub fn of(call: &Call<'_>) -> Option<Self> {
        let server = call.param("serverId")?.text()?.to_boxed();
        Some(Self { server, id: Id::of(call.param("requestId")?) })
    }
}
