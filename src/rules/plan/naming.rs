//! What plans and their entries are called in findings.

use crate::rules::excerpt;

/// "plan `x`", or "the plan" for the one without an id.
pub(super) fn plan(id: Option<&str>) -> String {
    id.map_or_else(|| "the plan".to_owned(), |id| format!("plan `{id}`"))
}

/// The text of an entry, short enough for a message, on one line.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    /// Bytes that a character takes at most.
    const WIDEST: usize = char::MAX.len_utf8();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // No more than that can be shown, however few characters that is.
        if line.len() > WIDEST * LONGEST {
            break;
        }
    }
    excerpt::beginning(&line, LONGEST)
}
