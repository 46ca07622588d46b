//! Text in a transcript that is not a message, and what is wrong with it.

use crate::{
    json::{Fault, Reason, Tape},
    protocol::Side,
    source::Span,
    transcript::multiline::{LineStart, is_beginning},
};

/// Text in a recording that is not a message, such as a line that is not JSON or a byte order mark,
/// with its place. The rules of the family `transport` judge it.
#[derive(Clone, Debug)]
pub struct Flaw {
    pub kind: FlawKind,
    /// Place of the faulty bytes, line or header in the file.
    pub span: Span,
    /// The side that sent the text; `None` where the recording does not say.
    pub sender: Option<Side>,
    /// First 80 characters of the text, to quote in messages.
    pub excerpt: String,
}

/// What is wrong with text that stands where a message should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// A line that is not JSON: what the parser expected, and whether the line may be part of a
    /// message.
    NotJson { expected: &'static str, is_fragment: bool },
    /// JSON text with more values than acpcheck reads.
    TooManyValues,
    /// A header line of the Language Server Protocol.
    LspHeader,
    /// The message is spread over several lines. `span` is its first line, `last` its last one.
    EmbeddedNewline { last: Span },
    /// A line has bytes that are not UTF-8.
    InvalidUtf8,
    /// The whole file is in UTF-16, so that nothing is read.
    Utf16,
    /// A byte order mark stands at the beginning.
    ByteOrderMark,
    /// A last line without line break that is not JSON, so that its end is missing.
    CutTail,
}

impl Flaw {
    /// Whether the text is not JSON but begins like an answer.
    pub fn begins_an_answer(&self) -> bool {
        let may_be = matches!(self.kind, FlawKind::NotJson { .. }) && self.excerpt.starts_with('{');
        let place = |member: &str| self.excerpt.find(member);
        let outcome = place("\"result\"").or_else(|| place("\"error\"")).filter(|_| may_be);
        outcome.is_some_and(|outcome| place("\"method\"").is_none_or(|method| outcome < method))
    }

    /// Makes a flaw whose sender is unknown. `text` starts at the fault; its beginning becomes the
    /// excerpt.
    pub(super) fn new(kind: FlawKind, span: Span, text: &str) -> Self {
        Self { kind, span, sender: None, excerpt: excerpt(text) }
    }
}

impl FlawKind {
    /// Whether the text may have been a message that is lost now, so that later messages may lack
    /// their context.
    pub fn loses_message(&self) -> bool {
        match self {
            Self::NotJson { is_fragment, .. } => *is_fragment,
            Self::TooManyValues | Self::InvalidUtf8 | Self::Utf16 | Self::CutTail => true,
            Self::LspHeader | Self::EmbeddedNewline { .. } | Self::ByteOrderMark => false,
        }
    }
}

/// The flaw of a line with bytes that are not UTF-8. `is_last` says that the file ends with the
/// line.
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

/// The `Flaw` for a text that is not JSON. `place` converts an offset and a length in the text to a
/// place in the file.
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
            _ => {
                FlawKind::NotJson { expected: fault.reason.text(), is_fragment: is_fragment(text) }
            }
        },
        span: place(from, len),
        sender,
        excerpt: excerpt(text),
    }
}

/// Whether a text that is not JSON may be part of a message: it begins like one, or has members of
/// one, or its braces or quotes do not match. Other output of a program hides no message.
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

/// The beginning of a faulty text, to quote it in messages.
fn excerpt(text: &str) -> String {
    let text = text.trim_start();
    let end = text.char_indices().nth(80).map_or(text.len(), |(end, _)| end);
    text[..end].trim_end().to_owned()
}
