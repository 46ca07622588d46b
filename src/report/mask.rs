//! Masks what strings of a transcript hold, in every report.

use crate::vocabulary::is_word;

/// Masks a text of a transcript: letters become `x` or `X`, digits `0`, most other signs `*`. White
/// space, slashes, dots, colons and dashes stay.
pub(super) fn masked(text: &str) -> String {
    text.chars().map(mask).collect()
}

/// The character that stands in for `character` in masked text, as in [`masked`].
pub(super) fn mask(character: char) -> char {
    match character {
        '…' | '/' | '\\' | '.' | ':' | '-' | '_' => character,
        character if character.is_whitespace() => character,
        character if character.is_numeric() => '0',
        character if character.is_uppercase() => 'X',
        character if character.is_alphanumeric() => 'x',
        _ => '*',
    }
}

/// A value of a transcript as reports may show it: masked, unless it is a word of the protocol.
pub(super) fn value(text: &str) -> String {
    if is_word(text) { text.to_owned() } else { masked(text) }
}
