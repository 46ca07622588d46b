//! MCP servers that the client offers over the connection itself, and the state of inner requests.

use crate::{
    event::Call,
    json::{Node, Text},
    map::Map,
    model::{
        anchor::Anchor,
        digest,
        request::{facts::RequestFacts, inner::InnerRequest},
        response::Answer,
    },
    protocol::methods,
};

/// The MCP servers over ACP that requests have declared, and the MCP requests that `mcp/message`
/// has carried.
#[derive(Clone, Debug, Default)]
pub struct Servers {
    declared: Map<Box<str>, Declared>,
    inner: Map<InnerRequest, InnerExchange>,
}

/// An MCP server over ACP that a request has declared in `mcpServers`.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Place of the `serverId` in the first request that declares the server, so that a finding can
    /// point at it.
    pub at: Anchor,
    entry: u64,
    /// The session that the server was declared for; `None` for a session that was being created.
    session_id: Option<Box<str>>,
}

impl Declared {
    /// Whether an entry of `mcpServers` declares this server with the same members.
    pub fn is(&self, entry: Node<'_>) -> bool {
        self.entry == digest::of(entry)
    }

    /// Whether the server may have been declared for this session. Also `true` for a server that
    /// was declared when a session was created.
    pub fn is_of(&self, session_id: Option<Text<'_>>) -> bool {
        self.session_id.as_deref().is_none_or(|own| session_id.is_some_and(|id| id == *own))
    }
}

/// An MCP request that `mcp/message` carries: where it was sent, and where it was answered.
#[derive(Clone, Copy, Debug)]
pub struct InnerExchange {
    /// Place of the inner `requestId` in the `mcp/message`, so that a finding can point at it.
    pub asked: Anchor,
    /// Place of the answer to the `mcp/message`; `None` while the inner request is active.
    pub answered: Option<Anchor>,
}

impl Servers {
    pub fn get(&self, id: Text<'_>) -> Option<&Declared> {
        self.declared.get(&*id.as_cow())
    }

    pub fn inner(&self, inner: &InnerRequest) -> Option<&InnerExchange> {
        self.inner.get(inner)
    }

    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>) {
        if methods::sets_up_session(method) {
            let servers = call.param("mcpServers").into_iter().flat_map(Node::elements);
            for entry in servers {
                let Some(id) = server_id(entry) else { continue };
                let declared = Declared {
                    at: Anchor::of(id.node(), &"/params/mcpServers"),
                    entry: digest::of(entry),
                    session_id: call.session_id().map(Text::to_boxed),
                };
                self.declared.entry(id.to_boxed()).or_insert(declared);
            }
        }
        if method == "mcp/message"
            && call.id.is_some()
            && let Some(inner) = InnerRequest::of(call)
            && let Some(id) = call.param("requestId")
        {
            let asked = Anchor::of(id, &"/params/requestId");
            self.inner.insert(inner, InnerExchange { asked, answered: None });
        }
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>) {
        let RequestFacts::Inner(inner) = &answer.request.facts else { return };
        if !answer.ambiguous
            && let Some(active) = self.inner.get_mut(&**inner)
        {
            active.answered = Some(Anchor::of(answer.node, &""));
        }
    }
}

/// The `serverId` of an entry of `mcpServers` whose type is `acp`; `None` for other transports.
pub fn server_id(entry: Node<'_>) -> Option<Text<'_>> {
    entry.get("type").filter(|kind| kind.is("acp"))?;
    entry.get("serverId")?.text()
}
