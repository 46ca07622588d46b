//! The end of a connection.

use crate::source::Span;

/// The end of a connection in a transcript. Rules on missing messages get this as their event.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Place of the last message of the connection, for findings about what never came.
    pub span: Span,
}
