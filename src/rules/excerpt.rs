//! Shortens texts of the transcript for the messages of findings.

/// The first `characters` characters of a text, with an ellipsis if the text is longer.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => [&text[..end], "…"].concat(),
        None => text.to_owned(),
    }
}
