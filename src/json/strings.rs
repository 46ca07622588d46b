//! Strings as they stand in a JSON text: where one ends, whether its characters are allowed, and
//! what its escape sequences stand for.

use std::borrow::Cow;

use super::fault::{Fault, Reason, fault};

/// Reads the string whose opening quotation mark is at byte `open`. Returns the offset behind the
/// closing mark, and whether there are escape sequences. Fails when the string is not valid JSON.
#[inline]
pub(super) fn string(bytes: &[u8], open: usize) -> Result<(usize, bool), Fault> {
    let at = plain(bytes, open + 1);
    if bytes.get(at) == Some(&b'"') { Ok((at + 1, false)) } else { rest(bytes, at) }
}

/// Reads the rest of a string from byte `at`, which is not within an escape sequence. Returns the
/// offset behind the closing quotation mark, and whether escape sequences come from `at` on. Fails
/// for invalid JSON.
fn rest(bytes: &[u8], mut at: usize) -> Result<(usize, bool), Fault> {
    let mut has_escapes = false;
    loop {
        at = plain(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return Ok((at + 1, has_escapes)),
            Some(b'\\') => at = escape_end(bytes, at)?,
            Some(_) => return fault(at, Reason::Control),
            None => return fault(at, Reason::Quote),
        }
        has_escapes = true;
    }
}

/// The first offset from `at` on of a quotation mark, a backslash or a control character. Looks at
/// eight bytes at a time: escape sequences are too frequent for a call of `memchr` for each.
#[inline]
fn plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        if let Some(found) = find(chunk) {
            return at + found;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, ..0x20 | b'"' | b'\\')) {
        at += 1;
    }
    at
}

/// The position (0 to 7) of the first quotation mark, backslash or control character among eight
/// bytes; `None` without one.
#[inline]
fn find(chunk: [u8; 8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGH_BITS: u64 = ONES * 0x80;
    let word = u64::from_le_bytes(chunk);
    let quotes = word ^ u64::from_le_bytes([b'"'; 8]);
    let backslashes = word ^ u64::from_le_bytes([b'\\'; 8]);
    // A subtraction borrows from the byte above only at a byte that is itself looked for, so the lowest
    // bit is always right.
    let found = (quotes.wrapping_sub(ONES) & !quotes)
        | (backslashes.wrapping_sub(ONES) & !backslashes)
        | (word.wrapping_sub(ONES * 0x20) & !word);
    let found = found & HIGH_BITS;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// The offset behind the escape sequence whose backslash is at byte `at`. A surrogate pair counts
/// as one sequence. Fails for an invalid sequence.
#[inline]
fn escape_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        Some(b'n' | b'"' | b'\\' | b't' | b'r' | b'/' | b'b' | b'f') => Ok(at + 2),
        Some(b'u') => unicode_end(bytes, at),
        _ => fault(at + 1, Reason::Escape),
    }
}

/// The offset behind the escape sequence `\uXXXX` at `at`, or behind a surrogate pair of two. Fails
/// for half a pair and for other digits.
fn unicode_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match checked_unit(bytes, at + 2)? {
        0xdc00..0xe000 => fault(at, Reason::LoneSurrogate),
        0xd800..0xdc00 => {
            let low = at + 6;
            if bytes.get(low..low + 2) != Some(b"\\u")
                || !(0xdc00..0xe000).contains(&checked_unit(bytes, low + 2)?)
            {
                return fault(low, Reason::LowSurrogate);
            }
            Ok(low + 6)
        }
        _ => Ok(at + 6),
    }
}

fn checked_unit(bytes: &[u8], at: usize) -> Result<u32, Fault> {
    if let Some(unit) = unit(bytes, at) {
        return Ok(unit);
    }
    let is_digit = |at: &usize| bytes.get(*at).is_some_and(u8::is_ascii_hexdigit);
    fault((at..at + 4).find(|at| !is_digit(at)).unwrap_or(at), Reason::Hex)
}

/// The number that the four hexadecimal digits at `at` stand for; `None` when there are fewer than
/// four.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))
}

/// Decodes the content of a JSON string. `inner` is the text between the quotation marks, with its
/// escape sequences. Allocates only when there are some.
pub(crate) fn decoded(inner: &str) -> Cow<'_, str> {
    if inner.contains('\\') { Segments::of(inner).decoded().into() } else { inner.into() }
}

/// A part of a JSON string: plain characters, or one escape sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment<'t> {
    /// Characters that stand for themselves; at least one.
    Plain(&'t str),
    /// The character that an escape sequence stands for.
    Escape(char),
}

impl Segment<'_> {
    /// Length of the segment's decoded text in bytes.
    pub fn len(self) -> usize {
        match self {
            Self::Plain(text) => text.len(),
            Self::Escape(character) => character.len_utf8(),
        }
    }

    /// Always `false`, since every segment has a character.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Iterator over the plain parts and escape sequences of a string; see
/// [`Text::segments`](super::Text::segments).
#[derive(Clone, Debug)]
pub struct Segments<'t> {
    rest: &'t str,
}

impl<'t> Segments<'t> {
    /// The segments of a string. `inner` is the text between the quotation marks, which the parser
    /// has accepted.
    pub(super) fn of(inner: &'t str) -> Self {
        Self { rest: inner }
    }

    /// The part of the string that was not read yet, as it is written.
    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// Whether the decoded text begins with `prefix`. Reads no further than it must.
    pub(super) fn start_with(self, mut prefix: &str) -> bool {
        for segment in self {
            let rest = match segment {
                Segment::Plain(text) if text.len() >= prefix.len() => {
                    return text.starts_with(prefix);
                }
                Segment::Plain(text) => prefix.strip_prefix(text),
                Segment::Escape(character) => prefix.strip_prefix(character),
            };
            let Some(rest) = rest else { return prefix.is_empty() };
            prefix = rest;
        }
        prefix.is_empty()
    }

    /// The part of the string that was not read yet, with escape sequences decoded.
    pub(super) fn decoded(self) -> String {
        let mut decoded = String::with_capacity(self.rest.len());
        for segment in self {
            match segment {
                Segment::Plain(text) => decoded.push_str(text),
                Segment::Escape(character) => decoded.push(character),
            }
        }
        decoded
    }
}

impl<'t> Iterator for Segments<'t> {
    type Item = Segment<'t>;

    fn next(&mut self) -> Option<Segment<'t>> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = self.rest.as_bytes();
        let plain = memchr::memchr(b'\\', bytes).unwrap_or(bytes.len());
        if plain > 0 {
            let (text, rest) = self.rest.split_at(plain);
            self.rest = rest;
            return Some(Segment::Plain(text));
        }
        let (character, length) = escaped(self.rest);
        self.rest = self.rest.get(length..).unwrap_or_default();
        Some(Segment::Escape(character))
    }
}

/// The character of the escape sequence at the start of `text`, and the length of the sequence in
/// bytes. The parser has checked the sequence.
fn escaped(text: &str) -> (char, usize) {
    let unit = |at: usize| unit(text.as_bytes(), at);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// For tests: finds the end of a string byte by byte, to compare with [`string`].
    fn slowly(bytes: &[u8], open: usize) -> Result<(usize, bool), Fault> {
        let (mut at, mut has_escapes) = (open + 1, false);
        loop {
            match bytes.get(at) {
                Some(b'"') => return Ok((at + 1, has_escapes)),
                Some(b'\\') => (at, has_escapes) = (escape_end(bytes, at)?, true),
                Some(..0x20) => return fault(at, Reason::Control),
                Some(_) => at += 1,
                None => return fault(at, Reason::Quote),
            }
        }
    }

    proptest! {
        #[test]
        fn words_are_read_like_bytes(
            parts in prop::collection::vec((0..14_usize, 0..70_usize), 0..40),
            open in 0..9_usize,
        ) {
            const PARTS: [&str; 14] = [
                "a", "\\n", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude00", "é", "\"", "\\", "\\x",
                "\n", "\\u12", "\\udc00", "/",
            ];
            let mut text = " ".repeat(open) + "\"";
            for (part, times) in parts {
                // What ends a string, or is wrong in one, is rare.
                let (part, times) = match part {
                    7.. if times > 2 => ("b", times),
                    part => (PARTS[part], times / 7),
                };
                text.push_str(&part.repeat(times));
            }
            prop_assert_eq!(string(text.as_bytes(), open), slowly(text.as_bytes(), open), "{}", text);
        }
    }
}
