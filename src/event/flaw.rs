//! Passages of a transcript that are no message, and the end of the transcript.

use crate::{protocol::Side, source::Span};

/// A line or passage of the transcript that is no message, or no clean one.
#[derive(Clone, Debug)]
pub struct Flaw {
    pub kind: FlawKind,
    /// What it is about: the bytes, the line, the header.
    pub span: Span,
    /// Who wrote it, where the recording says so.
    pub sender: Option<Side>,
    /// The beginning of the text concerned, for the message; at most 80 characters.
    pub excerpt: String,
}

/// What is wrong with a passage that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Not a JSON text; with what the parser expected.
    NotJson { expected: String },
    /// An LSP header line.
    LspHeader,
    /// The first line of a message that goes on over the lines up to `last`.
    EmbeddedNewline { last: Span },
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// The whole file is UTF-16, and nothing in it is read.
    Utf16,
    /// A byte order mark.
    ByteOrderMark,
    /// The last line has no end and is no JSON text.
    CutTail,
}

impl FlawKind {
    /// Whether the passage may have been a message whose content is lost.
    pub fn loses_message(&self) -> bool {
        matches!(self, Self::NotJson { .. } | Self::InvalidUtf8 | Self::Utf16 | Self::CutTail)
    }
}

/// The connection's end in the transcript.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The last message.
    pub span: Span,
}
