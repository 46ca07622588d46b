//! The end of a connection.

use crate::source::Span;

/// The event that the transcript of a connection ends. Rules on missing messages check it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Place of the last message of the connection, for findings about what never came.
    pub span: Span,
}
