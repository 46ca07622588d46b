//! Shortens texts of the transcript for the messages of findings.

/// Returns the first `characters` characters of a text, followed by an ellipsis when it is longer.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => [&text[..end], "…"].concat(),
        None => text.to_owned(),
    }
}
