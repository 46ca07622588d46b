//! Anchors: where something of an earlier message stands, small enough to be kept.

use crate::{json::Node, source::Span};

/// Where something of an earlier message stands: a span and a JSON Pointer into the message. A
/// recording may hold millions of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    span: Span,
    pointer: Pointer,
}

/// A JSON Pointer that the model knows, such as `&"/params/cwd"`. The reference to the text takes half
/// as many bytes as the text.
pub type Pointer = &'static &'static str;

impl Anchor {
    /// The place of a node of the current message that is known to stand at `pointer`.
    pub fn of(node: Node<'_>, pointer: Pointer) -> Self {
        Self::at(node.span(), pointer)
    }

    pub fn at(span: Span, pointer: Pointer) -> Self {
        Self { span, pointer }
    }

    pub fn span(&self) -> Span {
        self.span
    }

    /// JSON Pointer into its message.
    pub fn pointer(&self) -> &'static str {
        self.pointer
    }
}
