//! Text in a transcript that is not a message, and what is wrong with it.

use crate::{
    json::{Fault, Reason, Tape},
    protocol::Side,
    source::Span,
    transcript::multiline::{LineStart, is_beginning},
};

/// Something wrong with the bytes themselves, such as a line that is not JSON or a byte order mark, and
/// its place.
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

/// What is wrong with a passage that is not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Not a JSON text; with what the parser expected, and whether it may be part of a message.
    NotJson { expected: String, is_fragment: bool },
    /// A JSON text of so many values that it is not read.
    TooManyValues,
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
    /// The last line has no end and is not JSON text.
    CutTail,
}

impl Flaw {
    /// A flaw whose sender is unknown. `text` begins with the text concerned.
    pub(super) fn new(kind: FlawKind, span: Span, text: &str) -> Self {
        Self { kind, span, sender: None, excerpt: excerpt(text) }
    }
}

impl FlawKind {
    /// Whether the passage may have been a message whose content is lost.
    pub fn loses_message(&self) -> bool {
        match self {
            Self::NotJson { is_fragment, .. } => *is_fragment,
            Self::TooManyValues | Self::InvalidUtf8 | Self::Utf16 | Self::CutTail => true,
            Self::LspHeader | Self::EmbeddedNewline { .. } | Self::ByteOrderMark => false,
        }
    }
}

/// What is wrong with a line that is not UTF-8.
pub(super) fn undecoded(
    bytes: &[u8],
    error: std::str::Utf8Error,
    at: LineStart,
    is_last: bool,
) -> Flaw {
    let (valid, rest) = bytes.split_at(error.valid_up_to());
    let text = std::str::from_utf8(valid).unwrap_or_default();
    let len = error.error_len().unwrap_or(rest.len());
    let is_cut = is_last
        && error.error_len().is_none()
        && text.trim_start().starts_with(['{', '['])
        && Tape::default().parse(text).is_err_and(|fault| is_beginning(text, fault));
    let (kind, span) = if is_cut {
        (FlawKind::CutTail, at.span(0, bytes.len()))
    } else {
        (FlawKind::InvalidUtf8, at.span(valid.len(), len))
    };
    Flaw::new(kind, span, text)
}

/// What is wrong with a text that is not read as JSON; `place` tells where a part of it stands.
pub(super) fn not_json(
    text: &str,
    fault: Fault,
    sender: Option<Side>,
    place: impl Fn(usize, usize) -> Span,
) -> Flaw {
    let text = text.trim_end();
    let indent = text.len() - text.trim_start().len();
    // A text that goes wrong at its very beginning is wrong as a whole: log output.
    let (from, len) = match (fault.at as usize).min(text.len()) {
        at if at <= indent => (indent, text.len() - indent),
        at => {
            let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            (at, text[at..].chars().next().map_or(0, char::len_utf8))
        }
    };
    Flaw {
        kind: match fault.reason {
            Reason::Values => FlawKind::TooManyValues,
            _ => FlawKind::NotJson { expected: fault.to_string(), is_fragment: is_fragment(text) },
        },
        span: place(from, len),
        sender,
        excerpt: excerpt(text),
    }
}

/// Whether a text that is not JSON may be a part of a message: it begins as a message does, has a
/// member of one, or its braces or quotes do not match, and some of its strings are there. Other output
/// of a program hides no message.
fn is_fragment(text: &str) -> bool {
    let (mut braces, mut is_in_string, mut is_escaped) = (0_i64, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_in_string => is_escaped = true,
            b'"' => is_in_string = !is_in_string,
            b'{' if !is_in_string => braces += 1,
            b'}' if !is_in_string => braces -= 1,
            _ => {}
        }
    }
    let begins = text.trim_start().trim_start_matches('[').trim_start().starts_with('{');
    let has_member = || memchr::memmem::find(text.as_bytes(), b"\"jsonrpc\"").is_some();
    text.contains('"') && (begins || braces != 0 || is_in_string || has_member())
}

/// The beginning of a text, for a message.
fn excerpt(text: &str) -> String {
    text.trim_start().chars().take(80).collect::<String>().trim_end().to_owned()
}
