//! What plans and their entries are called in findings.

use crate::{
    model::session::plans::{Item, ItemList},
    rules::excerpt,
};

/// "plan `x`", or "the plan" for the one without an id.
pub(super) fn plan(id: Option<&str>) -> String {
    id.map_or_else(|| "the plan".to_owned(), |id| format!("plan `{id}`"))
}

/// Characters of a text that are shown.
const LONGEST: usize = 40;

/// The text of an entry that is known, in which white space is folded, short enough for a message.
pub(super) fn entry(listing: &ItemList, item: &Item) -> String {
    excerpt::beginning(listing.text(item), LONGEST)
}

/// The text of an entry, short enough for a message, on one line.
pub(super) fn shortened(text: &str) -> String {
    let mut line = String::with_capacity(2 * LONGEST);
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // More cannot be shown.
        if line.len() > LONGEST && line.chars().nth(LONGEST).is_some() {
            break;
        }
    }
    excerpt::beginning(&line, LONGEST)
}
