//! Decodes the text of a message: from JSON strings, Base64, or parts of the file.

use std::borrow::Cow;

use crate::{
    json::Text,
    source::{Layout, Origin, narrow},
    transcript::{record::Body, syntax::unescape::unescape},
};

/// The text of a message after decoding, with the places in the file that its parts come from.
#[derive(Clone, Debug)]
pub struct Decoded<'t> {
    pub text: Cow<'t, str>,
    /// Pairs of an offset in `text` and the offset in the file's text where it comes from, as in
    /// [`Layout::Mapped`].
    pub steps: Cow<'t, [(u32, u32)]>,
}

impl Body<'_> {
    /// Decodes a message that is not itself a JSON value in `source`, the text that was read.
    /// `None` for bodies without a message, and for faulty Base64.
    pub fn decoded<'s>(&'s self, source: &'s str) -> Option<Decoded<'s>> {
        match self {
            Self::Escaped(string) => {
                let (start, literal) = inside(*string)?;
                let (text, mut steps) = unescape(literal);
                for (_, file) in &mut steps {
                    *file = file.saturating_add(start);
                }
                Some(Decoded { text: text.into(), steps: steps.into() })
            }
            Self::Base64(string) => base64(*string),
            Self::Text(range) => {
                let text = source.get(range.clone())?;
                let steps = vec![(0, narrow(range.start))];
                Some(Decoded { text: text.into(), steps: steps.into() })
            }
            Self::Rebuilt(rebuilt) => Some(Decoded {
                text: rebuilt.text.as_str().into(),
                steps: rebuilt.steps.as_slice().into(),
            }),
            Self::Message(_)
            | Self::Lost
            | Self::Unread
            | Self::End { .. }
            | Self::NotStarted
            | Self::Start(_)
            | Self::Scenario(_)
            | Self::Foreign(_)
            | Self::Nothing => None,
        }
    }
}

impl Decoded<'_> {
    /// The origin of the decoded text, to convert places in it to places in the file. `source` is
    /// the origin of the text from which it was decoded.
    pub fn origin<'s>(&'s self, source: Origin<'s>) -> Origin<'s> {
        let starts = match source.layout {
            Layout::Lines(starts) => starts,
            Layout::Line | Layout::Mapped { .. } => &[],
        };
        Origin { layout: Layout::Mapped { steps: &self.steps, starts }, ..source }
    }
}

/// The text between the quotes of a string literal, with its escapes, and the offset of that text.
/// `None` when it is not a string literal.
fn inside(string: Text<'_>) -> Option<(u32, &str)> {
    let node = string.node();
    let raw = node.raw();
    Some((narrow(node.range().start + 1), raw.get(1..raw.len().checked_sub(1)?)?))
}

/// Decodes a Base64 string that holds the text of a message; `None` unless it is UTF-8.
fn base64(string: Text<'_>) -> Option<Decoded<'_>> {
    let mut steps = Vec::new();
    let bytes = base64_bytes(string, &mut steps)?;
    Some(Decoded { text: String::from_utf8(bytes).ok()?.into(), steps: steps.into() })
}

/// Decodes the bytes of a Base64 string, three from every four digits. Adds places to `steps` as in
/// [`Layout::Mapped`]. `None` where the string is faulty.
pub(super) fn base64_bytes(string: Text<'_>, steps: &mut Vec<(u32, u32)>) -> Option<Vec<u8>> {
    let (start, literal) = inside(string)?;
    let mut bytes = Vec::with_capacity(literal.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for (at, digit) in literal.bytes().enumerate().filter(|(_, byte)| *byte != b'=') {
        if count == 0 {
            steps.push((narrow(bytes.len()), start.saturating_add(narrow(at))));
        }
        bits = bits << 6 | value(digit)?;
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    match count {
        2 => bytes.push(u8::try_from(bits >> 4 & 0xff).ok()?),
        3 => bytes.extend_from_slice(&u16::try_from(bits >> 2 & 0xffff).ok()?.to_be_bytes()),
        _ => {}
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}
