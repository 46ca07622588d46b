//! The key by which a plan entry is found again: its text with white space folded, or an id.

use std::borrow::Cow;

use fearless_simd::{Level, SimdBase as _, SimdMask as _, dispatch, u8x16};
use memchr::{memchr_iter, memchr3_iter};

use crate::{
    json::{Stretch, Text},
    map,
};

/// What an entry is told by: its wording, or what the agent keeps in `_meta` for the purpose.
#[derive(Clone, Debug)]
pub(super) struct Name<'t> {
    pub(super) text: Cow<'t, str>,
    /// A seeded hash of the text.
    pub(super) hash: u64,
}

impl<'t> Name<'t> {
    pub(super) fn new(text: Cow<'t, str>) -> Self {
        let hash = map::hash_of(&*text);
        Self { text, hash }
    }

    /// A text with white space folded; borrowed where it is the text as written.
    pub(super) fn folded(content: Text<'t>) -> Self {
        let written = content.written();
        Self::new(if content.has_escapes() {
            let mut folding = Folding::new(written.len());
            content.stretches().for_each(|stretch| folding.add(stretch));
            folding.text.into()
        } else if is_folded(written) {
            written.into()
        } else {
            fold(written).into()
        })
    }
}

/// A text without white space at its ends and with single spaces within.
fn fold(text: &str) -> String {
    let mut folding = Folding::new(text.len());
    folding.add(Stretch::Plain(text));
    folding.text
}

/// A text that is folded stretch by stretch.
#[derive(Debug)]
struct Folding {
    text: String,
    /// Whether white space stands behind what has been added.
    is_behind_space: bool,
}

impl Folding {
    /// For a text of about `length` bytes.
    fn new(length: usize) -> Self {
        Self { text: String::with_capacity(length), is_behind_space: false }
    }

    fn add(&mut self, stretch: Stretch<'_>) {
        match stretch {
            Stretch::Escape(char) if char.is_whitespace() => self.is_behind_space = true,
            Stretch::Escape(char) => self.put(char.encode_utf8(&mut [0; 4])),
            Stretch::Plain(text) => {
                self.is_behind_space |= text.starts_with(char::is_whitespace);
                let words = text.trim();
                if is_folded(words) {
                    self.put(words);
                } else {
                    for word in words.split_whitespace() {
                        self.put(word);
                        self.is_behind_space = true;
                    }
                }
                self.is_behind_space = text.ends_with(char::is_whitespace);
            }
        }
    }

    /// Adds what needs no folding.
    fn put(&mut self, words: &str) {
        if std::mem::take(&mut self.is_behind_space) && !self.text.is_empty() && !words.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(words);
    }
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
        const BLOCK: usize = 16;
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        // The last bytes, some of them once more where there are enough.
        let mut last = [b'.'; BLOCK];
        match bytes.last_chunk() {
            Some(bytes) => last = *bytes,
            None => last[..rest.len()].copy_from_slice(rest),
        }
        // Most texts are short: to choose the code by the processor would take longer.
        dispatch!(Level::baseline(), simd => {
            let last = u8x16::from_slice(simd, &last);
            let (mut controls, mut all) = (last.simd_lt(0x20), last);
            let spaces = last.simd_eq(b' ').to_bitmask();
            let (mut doubles, mut carry) = (spaces & spaces << 1, 0);
            for block in blocks {
                let block: u8x16<_> = u8x16::from_slice(simd, block);
                controls |= block.simd_lt(0x20);
                all |= block;
                let spaces = block.simd_eq(b' ').to_bitmask();
                doubles |= spaces & (spaces << 1 | carry);
                carry = spaces >> (BLOCK - 1);
            }
            let is_ascii = !all.simd_ge(0x80).any_true();
            Self { is_odd: doubles != 0 || controls.any_true(), is_ascii }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        json::{Doc, Tape},
        source::Origin,
    };

    proptest! {
        /// Whether a text is written with escapes or without.
        #[test]
        fn folding_leaves_the_words(
            parts in prop::collection::vec((0..12_usize, 1..5_usize), 0..40),
        ) {
            const PARTS: [&str; 12] = [
                "some text", " ", "word", "\\n", "\\u0020", "\\u00a0", "\u{a0}", "é", "計画", "\\\"",
                "\\u3000", "\u{2003}",
            ];
            let parts = parts.into_iter().map(|(part, times)| PARTS[part].repeat(times));
            let json = format!("\"{}\"", parts.collect::<String>());
            let mut tape = Tape::new();
            prop_assert!(tape.parse(&json).is_ok());
            let doc = Doc::new(&json, &tape, Origin::START);
            let content = doc.root().text().expect("a string");
            let words = content.as_cow().split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(Name::folded(content).text, words);
            let bytes = content.written().as_bytes();
            let is_doubled = bytes.windows(2).any(|pair| pair == b"  ");
            let is_odd = is_doubled || bytes.iter().any(|byte| *byte < 0x20);
            let look = Look::at(bytes);
            prop_assert_eq!((look.is_odd, look.is_ascii), (is_odd, bytes.is_ascii()));
        }
    }

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
