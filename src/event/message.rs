//! A message, with its sender and the members that JSON-RPC 2.0 defines.

use crate::{json::Node, protocol::Side};

/// One JSON value that a side sent.
#[derive(Clone, Copy, Debug)]
pub struct Message<'t> {
    pub node: Node<'t>,
    /// Who sent it: as recorded, else as the method or the answered request tells.
    pub sender: Option<Side>,
    /// Who sent it according to the recording.
    pub recorded: Option<Side>,
    /// Seconds on the recorder's clock.
    pub at: Option<f64>,
    /// The array it came in, for an element of a batch.
    pub batch: Option<Node<'t>>,
    /// The message's members; all `None` when it is not an object.
    pub envelope: Envelope<Node<'t>>,
}

/// The members of a JSON-RPC message. When a name is repeated, the last member counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<T> {
    pub jsonrpc: Option<T>,
    pub id: Option<T>,
    pub method: Option<T>,
    pub params: Option<T>,
    pub result: Option<T>,
    pub error: Option<T>,
    /// The name of the first member that JSON-RPC does not define.
    pub foreign: Option<T>,
}

impl<T> Default for Envelope<T> {
    fn default() -> Self {
        Self {
            jsonrpc: None,
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
            foreign: None,
        }
    }
}

impl<'t> Envelope<Node<'t>> {
    /// Reads the members of a message in one pass.
    pub fn of(node: Node<'t>) -> Self {
        let mut envelope = Self::default();
        for (name, value) in node.members() {
            let member = match name {
                _ if name.is("jsonrpc") => &mut envelope.jsonrpc,
                _ if name.is("id") => &mut envelope.id,
                _ if name.is("method") => &mut envelope.method,
                _ if name.is("params") => &mut envelope.params,
                _ if name.is("result") => &mut envelope.result,
                _ if name.is("error") => &mut envelope.error,
                _ => {
                    envelope.foreign = envelope.foreign.or(Some(name));
                    continue;
                }
            };
            *member = Some(value);
        }
        envelope
    }
}
