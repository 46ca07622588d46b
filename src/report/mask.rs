//! Masks what strings of a transcript hold, in every report.

use crate::vocabulary::is_word;

/// Letters become `x`, digits `0`; what gives a value its shape stays.
pub(super) fn masked(text: &str) -> String {
    text.chars().map(mask).collect()
}

/// What a character becomes.
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

/// A value of the transcript, masked unless it is a word of the protocol.
pub(super) fn value(text: &str) -> String {
    if is_word(text) { text.to_owned() } else { masked(text) }
}
