//! Where the label of a diagnostic points.

use std::{borrow::Cow, sync::Arc};

use crate::{
    json::{Node, Text},
    model::anchor::Anchor,
    source::Span,
};

/// A place that a finding points at: a range in the file, and a JSON Pointer if the place is in a
/// message.
#[derive(Clone, Debug)]
pub struct Mark {
    pub span: Span,
    pub pointer: Option<Cow<'static, str>>,
    /// Name of the file that holds the place; `None` for the file that is checked.
    pub file: Option<Arc<str>>,
}

impl Mark {
    /// The place in an object where a missing member could be inserted, to point out that it is
    /// missing.
    pub fn missing_in(object: Node<'_>) -> Self {
        Self { span: object.insertion(), pointer: Some(object.pointer().into()), file: None }
    }
}

impl From<Node<'_>> for Mark {
    fn from(node: Node<'_>) -> Self {
        Self { span: node.span(), pointer: Some(node.pointer().into()), file: None }
    }
}

impl From<Text<'_>> for Mark {
    fn from(text: Text<'_>) -> Self {
        text.node().into()
    }
}

impl From<Anchor> for Mark {
    fn from(place: Anchor) -> Self {
        Self { span: place.span(), pointer: Some(place.pointer().into()), file: None }
    }
}

impl From<Span> for Mark {
    fn from(span: Span) -> Self {
        Self { span, pointer: None, file: None }
    }
}
