//! The names of plans and entries in the messages of findings.

use crate::{
    model::session::plans::{Item, ItemList},
    rules::excerpt,
};

/// A plan as messages call it: `plan` and its id, or "the plan" when it has no id.
pub(super) fn plan(id: Option<&str>) -> String {
    id.map_or_else(|| "the plan".to_owned(), |id| format!("plan `{id}`"))
}

/// Most characters of an entry's text that messages show; a longer text is cut.
const LONGEST: usize = 40;

/// Text of an entry of a list, shortened for messages. Lists keep texts with single spaces.
pub(super) fn entry(listing: &ItemList, item: &Item) -> String {
    excerpt::beginning(listing.text(item), LONGEST)
}

/// Text of an entry in one line with single spaces, shortened for messages.
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
