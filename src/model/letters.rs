//! Letters without their accents, since the same text may have an accented letter as one character or
//! as two.

use std::iter;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// A text in lower case and without accents, each letter in its plainest form: a ligature becomes its
/// letters, a wide letter a narrow one.
pub fn plain(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    text.flat_map(Plain::of)
}

/// A character in its plainest form. All text of a recording passes here, and nearly all of it is
/// ASCII, which needs no list.
enum Plain {
    /// A character of ASCII in lower case; `None` once it is taken.
    Ascii(Option<char>),
    Parts(std::vec::IntoIter<char>),
}

impl Plain {
    fn of(character: char) -> Self {
        if character.is_ascii() {
            return Self::Ascii(Some(character.to_ascii_lowercase()));
        }
        // `ß` has no capital, and becomes `SS` where a text is written in capitals. Plain text stays as
        // it is, so it may be made plain again.
        let parts = iter::once(character).nfkd().flat_map(char::to_uppercase);
        let parts = parts.flat_map(char::to_lowercase).nfkd();
        Self::Parts(parts.filter(|part| !is_combining_mark(*part)).collect::<Vec<_>>().into_iter())
    }
}

impl Iterator for Plain {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self {
            Self::Ascii(character) => character.take(),
            Self::Parts(parts) => parts.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn both_spellings_of_an_accent_are_the_same() {
        for (one, other) in [
            ("Caf\u{e9} \u{c5}", "Cafe\u{301} A\u{30a}"),
            ("\u{1ec7}", "e\u{323}\u{302}"),
            ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            (
                "\u{304c}\u{3065}\u{3071}\u{30f4}",
                "\u{304b}\u{3099}\u{3064}\u{3099}\u{306f}\u{309a}\u{30a6}\u{3099}",
            ),
            ("\u{439}", "\u{438}\u{306}"),
            ("\u{fb01}\u{ff21}", "fia"),
            ("Straße", "STRASSE"),
        ] {
            assert!(plain(one.chars()).eq(plain(other.chars())), "{one} {other}");
        }
        assert_eq!(plain("Straße, 3 Wörter!".chars()).collect::<String>(), "strasse, 3 worter!");
        assert_eq!(plain("かきつては".chars()).collect::<String>(), "かきつては");
    }
}
