//! The end of a connection.

use crate::source::Span;

/// The event that the transcript of a connection ends. Rules on missing messages check it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Place of the connection's last message.
    pub span: Span,
}
