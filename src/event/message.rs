//! A message, with its sender and the members that JSON-RPC 2.0 defines.

use crate::{json::Node, protocol::Side};

/// One JSON value that a side sent: a request, notification, response, batch or malformed message.
/// Rules on every message get this as their event.
#[derive(Clone, Copy, Debug)]
pub struct Message<'t> {
    pub node: Node<'t>,
    /// The side that sent the message: as recorded, or else as the method or the answered request
    /// shows; `None` when unknown.
    pub sender: Option<Side>,
    /// The side that sent the message according to the recording; `None` when the recording does
    /// not say.
    pub recorded: Option<Side>,
    /// Time of the message, in seconds on the recorder's clock; `None` without a time.
    pub at: Option<f64>,
    /// The array in which the message came, for an element of a batch; `None` for other messages.
    pub batch: Option<Node<'t>>,
    /// The members that JSON-RPC defines; all `None` when the message is not an object.
    pub envelope: Envelope<Node<'t>>,
}

impl Message<'_> {
    /// Whether the protocol does not define the value at a place of this message.
    pub fn leaves_free(&self, place: Node<'_>) -> bool {
        let pointer = place.pointer();
        let is_opaque = |name| matches!(name, "rawInput" | "rawOutput" | "_meta");
        self.is_of_extension() && pointer.starts_with("/params")
            || pointer.split('/').any(is_opaque)
    }

    /// Whether it calls an extension method, whose params the protocol does not define.
    pub fn is_of_extension(&self) -> bool {
        self.envelope.method.and_then(Node::text).is_some_and(|method| method.starts_with("_"))
    }

    /// Whether members of one name have different values in what the protocol defines, so that readers
    /// that keep the first read something else than those that keep the last. Also true for more than
    /// 64 pairs of such members, without a look at the rest.
    pub fn has_two_readings(&self) -> bool {
        const LOOKED_AT: usize = 64;
        let mut pairs = self.node.doc().duplicate_names();
        let differ = |(first, second): (Node<'_>, Node<'_>)| {
            let values = first.value_of_name().zip(second.value_of_name());
            values.is_none_or(|(one, other)| !one.is_spelled_like(other))
                && !self.leaves_free(second)
        };
        pairs.by_ref().take(LOOKED_AT).any(differ) || pairs.next().is_some()
    }
}

/// The members of a JSON-RPC message that the specification defines. When a name is repeated, the
/// last member counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<T> {
    pub jsonrpc: Option<T>,
    pub id: Option<T>,
    pub method: Option<T>,
    pub params: Option<T>,
    pub result: Option<T>,
    pub error: Option<T>,
    /// The name of the first member of the message that JSON-RPC does not define; `None` without
    /// one.
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
    /// Reads the members of a message in one pass; all `None` for a value that is not an object.
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
