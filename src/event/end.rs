//! The end of a connection.

use crate::source::Span;

/// The connection's end in the transcript.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The last message.
    pub span: Span,
}
