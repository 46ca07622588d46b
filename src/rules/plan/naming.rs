//! The names of plans and entries in the messages of findings.

use crate::{
    model::session::plans::{Item, ItemList},
    rules::excerpt,
};

/// "plan `x`", or "the plan" for a plan without an id.
pub(super) fn plan(id: Option<&str>) -> String {
    id.map_or_else(|| "the plan".to_owned(), |id| format!("plan `{id}`"))
}

/// Characters of the text of an entry that are shown.
const LONGEST: usize = 40;

/// The text of an entry of a list, shortened. The list keeps texts with folded white space.
pub(super) fn entry(listing: &ItemList, item: &Item) -> String {
    excerpt::beginning(listing.text(item), LONGEST)
}

/// The text of an entry on one line: with single spaces for white space, shortened.
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
