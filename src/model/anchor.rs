//! Anchors: where something of an earlier message stands, small enough to be kept.

use crate::{json::Node, source::Span};

/// The place of a value in an earlier message, for labels of findings: a span in the file and a
/// JSON Pointer into the message. A recording may hold millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    span: Span,
    pointer: Pointer,
}

/// A JSON Pointer from a message to a value, such as `&"/params/cwd"`; empty for the whole message. A
/// reference to the text takes half as many bytes as the text.
pub type Pointer = &'static &'static str;

impl Anchor {
    /// The place of a node that stands at `pointer` in the current message, as the caller knows.
    pub fn of(node: Node<'_>, pointer: Pointer) -> Self {
        Self::at(node.span(), pointer)
    }

    pub fn at(span: Span, pointer: Pointer) -> Self {
        Self { span, pointer }
    }

    pub fn span(&self) -> Span {
        self.span
    }

    /// JSON Pointer from the message to the value, such as `/params/update`, for reports.
    pub fn pointer(&self) -> &'static str {
        self.pointer
    }
}
