//! The text of a string stretch by stretch, so that long ones are read without a copy, and so that
//! a part of one can be pointed at.

use std::ops::Range;

use fearless_simd::{Level, SimdBase as _, SimdMask as _, dispatch, u8x16};

use super::{Text, tape};
use crate::source::Span;

/// A part of a string as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch<'t> {
    /// Characters that stand for themselves; neither empty nor holding a control character.
    Plain(&'t str),
    /// The character that an escape sequence stands for.
    Escape(char),
}

impl Stretch<'_> {
    /// Length of the decoded text in bytes.
    pub fn len(self) -> usize {
        match self {
            Self::Plain(text) => text.len(),
            Self::Escape(character) => character.len_utf8(),
        }
    }

    /// Never: see [`Stretch::Plain`].
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// The stretches of a string; see [`Text::stretches`].
#[derive(Clone, Debug)]
pub struct Stretches<'t> {
    rest: &'t str,
}

impl<'t> Stretches<'t> {
    /// Those of what stands between quotation marks, which the tape has accepted.
    pub(super) fn of(inner: &'t str) -> Self {
        Self { rest: inner }
    }

    /// Whether what is left begins like this, decoded. Goes no further than it does.
    pub(super) fn start_with(self, mut prefix: &str) -> bool {
        for stretch in self {
            let rest = match stretch {
                Stretch::Plain(text) if text.len() >= prefix.len() => {
                    return text.starts_with(prefix);
                }
                Stretch::Plain(text) => prefix.strip_prefix(text),
                Stretch::Escape(character) => prefix.strip_prefix(character),
            };
            let Some(rest) = rest else { return prefix.is_empty() };
            prefix = rest;
        }
        prefix.is_empty()
    }

    /// What is left, decoded.
    pub(super) fn decoded(self) -> String {
        let mut decoded = String::with_capacity(self.rest.len());
        for stretch in self {
            match stretch {
                Stretch::Plain(text) => decoded.push_str(text),
                Stretch::Escape(character) => decoded.push(character),
            }
        }
        decoded
    }
}

impl<'t> Iterator for Stretches<'t> {
    type Item = Stretch<'t>;

    fn next(&mut self) -> Option<Stretch<'t>> {
        if self.rest.is_empty() {
            return None;
        }
        let plain = plain(self.rest.as_bytes());
        if plain > 0 {
            let (text, rest) = self.rest.split_at(plain);
            self.rest = rest;
            return Some(Stretch::Plain(text));
        }
        let (character, length) = escape(self.rest);
        self.rest = self.rest.get(length..).unwrap_or_default();
        Some(Stretch::Escape(character))
    }
}

/// How many bytes there are before the first escape.
fn plain(bytes: &[u8]) -> usize {
    // Mostly it is near, and a call takes longer than to look there.
    const NEAR: usize = 4;
    let (chunks, _) = bytes.as_chunks::<16>();
    let mut passed = 0;
    for chunk in chunks.iter().take(NEAR) {
        let found = dispatch!(Level::baseline(), simd => {
            u8x16::from_slice(simd, chunk).simd_eq(b'\\').to_bitmask()
        });
        if found != 0 {
            return passed + found.trailing_zeros() as usize;
        }
        passed += chunk.len();
    }
    passed + memchr::memchr(b'\\', &bytes[passed..]).unwrap_or(bytes.len() - passed)
}

/// The character of the escape sequence at the beginning of a text, and how long that is. The tape
/// only holds strings whose escapes are right.
fn escape(text: &str) -> (char, usize) {
    let unit = |at: usize| tape::unit(text.as_bytes(), at);
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let high = unit(2).unwrap_or_default();
            if let (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) = (high, unit(8)) {
                let code = 0x1_0000 + ((high - 0xd800) << 10 | (low - 0xdc00));
                return (char::from_u32(code).unwrap_or_default(), 12);
            }
            return (char::from_u32(high).unwrap_or_default(), 6);
        }
        Some(&other) => char::from(other),
        None => '\\',
    };
    (simple, 2)
}

impl<'t> Text<'t> {
    /// The text in parts that need no decoding as a whole. One pass, no allocation.
    pub fn stretches(self) -> Stretches<'t> {
        Stretches::of(self.written())
    }

    /// Whether there is nothing but white space.
    pub fn is_blank(self) -> bool {
        // Hardly any text needs more than a look at its first byte, behind the quotation mark.
        let is_visible = |first: &u8| first.is_ascii_graphic() && !matches!(first, b'\\' | b'"');
        !self.0.raw_bytes().get(1).is_some_and(is_visible)
            && self.stretches().all(|stretch| match stretch {
                Stretch::Plain(text) => text.trim_start().is_empty(),
                Stretch::Escape(character) => character.is_whitespace(),
            })
    }

    /// How many lines there are; a line break at the end begins no other, and only `\n` is one. One pass
    /// over the escapes, no allocation.
    pub fn lines(self) -> u64 {
        let written = self.written();
        let (breaks, ended) = tape::line_breaks(written.as_bytes());
        breaks + u64::from(ended < written.len())
    }

    /// Length of the decoded text in bytes. One pass over strings with escapes, no allocation.
    pub fn len_bytes(self) -> usize {
        self.stretches().map(Stretch::len).sum()
    }

    /// Where a range of bytes of the decoded text stands. Costs a pass over what precedes.
    pub fn place(self, range: Range<usize>) -> Span {
        let raw = self.0.raw_node();
        let (first, last) = (raw.start as usize + 1, (raw.end as usize).saturating_sub(1));
        let written = |offset: usize| {
            let (mut decoded, mut rest) = (0, self.stretches());
            loop {
                let at = last - rest.rest.len().min(last - first);
                match rest.next() {
                    Some(Stretch::Plain(text)) if offset < decoded + text.len() => {
                        return at + offset.saturating_sub(decoded);
                    }
                    Some(stretch) if offset >= decoded + stretch.len() => decoded += stretch.len(),
                    _ => return at,
                }
            }
        };
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(raw.end);
        let (start, end) = (written(range.start), written(range.end));
        self.0.doc.origin.span(narrow(start), narrow(end.max(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{Doc, Tape},
        source::Origin,
    };

    fn with(json: &str, check: impl FnOnce(Text<'_>)) {
        let mut tape = Tape::new();
        tape.parse(json).expect("the test's text is JSON");
        let doc = Doc::new(json, &tape, Origin::START);
        check(doc.root().text().expect("the test's text is a string"));
    }

    #[test]
    fn stretches_make_up_the_decoded_text() {
        for json in [
            r#""""#,
            r#""plain""#,
            r#"" \n\u3000 ""#,
            r#"" \n.""#,
            r#""a\nbé\u00e9\"\/\\""#,
            r#""\ud83d\ude00x""#,
            r#""\u0041""#,
            r#""one\\n\ntwo\u000Athree\u000a""#,
            r#""\n\n\u000b\\u000a""#,
            r#""as long as what is looked through at once, and then as long again, and more\nend""#,
            r#""sixteen of bytes\nseventeen bytes..\n""#,
        ] {
            with(json, |text| {
                let decoded: String = serde_json::from_str(json).expect("it is a string");
                assert_eq!(text.as_cow(), decoded);
                assert_eq!(super::super::decoded(text.written()), decoded);
                assert_eq!(text.len_bytes(), decoded.len());
                assert_eq!(text.lines(), decoded.split_inclusive('\n').count() as u64);
                assert_eq!(text.is_blank(), decoded.trim().is_empty());
            });
        }
    }

    #[test]
    fn places_are_those_of_the_written_text() {
        let json = r#""ab\ncd\u00e9f""#;
        with(json, |text| {
            let written = |range: Range<usize>| {
                let span = text.place(range);
                &json[usize::try_from(span.start).expect("small")..][..span.len as usize]
            };
            assert_eq!(written(0..2), "ab");
            assert_eq!(written(1..4), r"b\nc");
            assert_eq!(written(2..3), r"\n");
            assert_eq!(written(3..5), "cd");
            assert_eq!(written(5..7), r"\u00e9");
            assert_eq!(written(7..8), "f");
            assert_eq!(written(8..8), "");
        });
    }
}
