//! What plan entries are told by.

use std::borrow::Cow;

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
        let hash = map::hash(&text);
        Self { text, hash }
    }
}

/// A text with white space folded.
#[derive(Clone, Debug)]
pub(super) struct Folded {
    /// `None` where it is the text as written.
    text: Option<Box<str>>,
    pub(super) hash: u64,
}

impl Folded {
    pub(super) fn of(content: Text<'_>) -> Self {
        let text = match content.as_cow() {
            text if !is_folded(&text) => Some(fold(&text).into()),
            Cow::Owned(text) => Some(text.into()),
            Cow::Borrowed(_) => None,
        };
        let hash = map::hash(text.as_deref().unwrap_or_else(|| content.written()));
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
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// Whether there is nothing to fold.
fn is_folded(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return true };
    // To the end in any case, so that many bytes are looked at at once.
    let pairs = bytes.iter().zip(&bytes[1..]);
    let has_gap = pairs.fold(false, |has, (one, next)| has | (*one == b' ') & (*next == b' '));
    if has_gap || *first == b' ' || *last == b' ' {
        return false;
    }
    // Control characters, and what is not ASCII's.
    let is_odd = bytes.iter().fold(false, |is, byte| is | (byte.cast_signed() < 0x20));
    !is_odd || !text.contains(|char: char| char != ' ' && char.is_whitespace())
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
            ("計画　一", "計画 一"),
            ("計画 — 一", "計画 — 一"),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
            assert_eq!(is_folded(text), text == expected, "{text:?}");
        }
    }
}
