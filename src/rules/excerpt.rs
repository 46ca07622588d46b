//! Texts of the transcript, short enough for a message.

/// A text of at most so many characters: its beginning, with an ellipsis where more follows.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => [&text[..end], "…"].concat(),
        None => text.to_owned(),
    }
}
