//! The text of a plan entry with white space folded, by which entries are compared.

use std::borrow::Cow;

use crate::{event::target, json::Text};

/// The text without white space at its ends and with single spaces within. Borrowed where JSON has the
/// same text.
pub(super) fn folded(content: Text<'_>) -> Cow<'_, str> {
    match content.as_cow() {
        Cow::Borrowed(text) if is_folded(text) => text.into(),
        text => target::folded(&text).into(),
    }
}

/// Whether the text has no white space at its ends and single spaces within, so that folding does
/// not change it.
fn is_folded(text: &str) -> bool {
    let mut before = ' ';
    text.chars().all(|char| {
        let is_single = char == ' ' && before != ' ';
        before = char;
        is_single || !char.is_whitespace()
    }) && (text.is_empty() || before != ' ')
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
        /// The folded text has the same words, whether the text is written with escapes or without.
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
            prop_assert_eq!(folded(content), words);
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
            assert_eq!(target::folded(text), expected, "{text:?}");
            assert_eq!(is_folded(text), text == expected, "{text:?}");
        }
    }
}
