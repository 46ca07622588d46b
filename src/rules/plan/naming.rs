//! What plans and their entries are called in findings.

use crate::rules::excerpt;

/// "plan `x`", or "the plan" for the one without an id.
pub(super) fn plan(id: Option<&str>) -> String {
    id.map_or_else(|| "the plan".to_owned(), |id| format!("plan `{id}`"))
}

/// The text of an entry, short enough for a message, on one line.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    excerpt::beginning(&text.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST)
}
