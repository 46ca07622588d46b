//! What plan entries are told by.

use std::borrow::Cow;

use fearless_simd::{Level, SimdBase as _, SimdMask as _, dispatch, mask8x16, u8x16};
use memchr::{memchr_iter, memchr3_iter};

use crate::{json::Text, map};

/// What an entry is told by: its wording, or what the agent keeps in `_meta` for the purpose.
#[derive(Clone, Debug)]
pub(super) struct Name<'t> {
    pub(super) text: Cow<'t, str>,
    /// Equal names share it, and nobody can make others do so.
    pub(super) hash: u64,
}

impl<'t> Name<'t> {
    pub(super) fn new(text: Cow<'t, str>) -> Self {
        let hash = map::hash_of(&*text);
        Self { text, hash }
    }
}

/// A text with white space folded.
#[derive(Clone, Debug)]
pub(super) struct Folded {
    /// `None` where it is the text as written.
    text: Option<String>,
    pub(super) hash: u64,
}

impl Folded {
    pub(super) fn of(content: Text<'_>) -> Self {
        let text = match content.as_cow() {
            text if !is_folded(&text) => Some(fold(&text)),
            Cow::Owned(text) => Some(text),
            Cow::Borrowed(_) => None,
        };
        let hash = map::hash_of(text.as_deref().unwrap_or_else(|| content.written()));
        Self { text, hash }
    }

    pub(super) fn text<'e>(&'e self, content: Text<'e>) -> &'e str {
        self.text.as_deref().unwrap_or_else(|| content.written())
    }

    /// As the name of an entry with this text.
    pub(super) fn name<'e>(&'e self, content: Text<'e>) -> Name<'e> {
        Name { text: self.text(content).into(), hash: self.hash }
    }
}

/// A text without white space at its ends and with single spaces within.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut add = |word: &str| {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    };
    // The same, and quicker.
    if text.is_ascii() && !text.contains('\u{b}') {
        text.split_ascii_whitespace().for_each(&mut add);
    } else {
        text.split_whitespace().for_each(&mut add);
    }
    folded
}

/// Whether there is nothing to fold.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return true };
    let Look { is_odd, is_ascii } = Look::at(bytes);
    if is_odd || first == b' ' || last == b' ' {
        let mut before = ' ';
        return text.chars().all(|char| {
            let is_space = char.is_whitespace();
            let is_single = char == ' ' && before != ' ';
            before = char;
            !is_space || is_single
        }) && before != ' ';
    }
    if is_ascii {
        return true;
    }
    // Other white space begins with one of these bytes.
    let mut others = memchr3_iter(0xc2, 0xe2, 0xe3, bytes).chain(memchr_iter(0xe1, bytes));
    !others.any(|at| text[at..].starts_with(char::is_whitespace))
}

/// What a first look at the bytes of a text tells.
struct Look {
    /// Whether there is a control character, or two spaces in a row.
    is_odd: bool,
    is_ascii: bool,
}

impl Look {
    fn at(bytes: &[u8]) -> Self {
        const WIDE: usize = 16;
        let ends_oddly = bytes.last().is_some_and(|last| *last < 0x20);
        let Some(next) = bytes.get(1..).filter(|next| next.len() >= WIDE) else {
            let is_odd = |pair: &[u8]| pair == b"  " || pair[0] < 0x20;
            let is_odd = ends_oddly || bytes.windows(2).any(is_odd);
            return Self { is_odd, is_ascii: bytes.is_ascii() };
        };
        let these = &bytes[..next.len()];
        // Each byte with the one behind it. The last ones once more, since few are left over.
        let ends = these.last_chunk().into_iter().zip(next.last_chunk());
        let pairs = std::iter::zip(these.as_chunks::<WIDE>().0, next.as_chunks::<WIDE>().0);
        dispatch!(Level::baseline(), simd => {
            let mut odd = mask8x16::splat(simd, false);
            let mut all = u8x16::splat(simd, 0);
            for (these, next) in pairs.chain(ends) {
                let (these, next) = (u8x16::from_slice(simd, these), u8x16::from_slice(simd, next));
                odd |= these.simd_eq(b' ') & next.simd_eq(b' ') | these.simd_lt(0x20);
                // All but the first: where that is beyond ASCII, the next is as well.
                all |= next;
            }
            Self { is_odd: odd.any_true() || ends_oddly, is_ascii: !all.simd_ge(0x80).any_true() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_leaves_single_spaces_between_words() {
        for (text, expected) in [
            ("", ""),
            (" ", ""),
            ("one two", "one two"),
            (" one  two\n\nthree ", "one two three"),
            ("café\u{a0}au\u{2003}lait", "café au lait"),
            ("naïve\u{b}\u{c}plan\u{3000}", "naïve plan"),
            ("in\u{b}vain", "in vain"),
            ("in \u{1f}vain\u{7f}", "in \u{1f}vain\u{7f}"),
            (" é", "é"),
            ("é ", "é"),
            ("é  é", "é é"),
            ("計画　一", "計画 一"),
            ("計画 — 一", "計画 — 一"),
            ("one\u{85}two\u{1680}three", "one two three"),
            ("one\u{2028}two\u{205f}three", "one two three"),
            ("ein Käse — für alle", "ein Käse — für alle"),
            ("a text of many words and no end ", "a text of many words and no end"),
            ("a text of many words  and no end", "a text of many words and no end"),
            ("a text of many words and no  end", "a text of many words and no end"),
            ("a text of many words and no end\n", "a text of many words and no end"),
            (" a text of many words and no end", "a text of many words and no end"),
            ("a text of\tmany words and no end", "a text of many words and no end"),
            ("sixteen of bytes", "sixteen of bytes"),
            ("17 bytes of bytes", "17 bytes of bytes"),
            ("17 bytes  of byte", "17 bytes of byte"),
            ("17 bytes of byte\t", "17 bytes of byte"),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
            assert_eq!(is_folded(text), text == expected, "{text:?}");
        }
    }
}
