//! What is said of passages that are no message.

use crate::{
    check::open::{At, is_beginning},
    event::{Flaw, FlawKind},
    json::{Fault, Tape},
    protocol::Side,
    source::Span,
};

/// What is wrong with a line that is not UTF-8.
pub(super) fn undecoded(bytes: &[u8], error: std::str::Utf8Error, at: At, is_last: bool) -> Flaw {
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
    Flaw { kind, span, sender: None, excerpt: excerpt(text) }
}

/// What is wrong with a text that is not JSON; `place` tells where a part of it stands.
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
        kind: FlawKind::NotJson { expected: fault.to_string() },
        span: place(from, len),
        sender,
        excerpt: excerpt(text),
    }
}

/// The beginning of a text, for a message.
pub(super) fn excerpt(text: &str) -> String {
    text.trim_start().chars().take(80).collect::<String>().trim_end().to_owned()
}
