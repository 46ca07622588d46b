//! Values that a recorder has masked, or of which it does not tell what they are.

use crate::json::{Node, Text};

/// Words that stand in place of values, without the brackets around them.
const WORDS: [&str; 5] = ["REDACTED", "redacted", "***", "MASKED", "masked"];

/// Whether a text may have masked values.
pub(super) fn may_be_in(text: &str) -> bool {
    WORDS.iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Finds the values in a message that are masked, or that begin at one of the places.
pub(super) fn values<'t>(node: Node<'t>, unsure: &[u32], found: &mut dyn FnMut(Node<'t>)) {
    let start = u32::try_from(node.range().start).unwrap_or(u32::MAX);
    if node.text().is_some_and(is_mask) || unsure.binary_search(&start).is_ok() {
        found(node);
        return;
    }
    for child in node.elements().chain(node.members().map(|(_, value)| value)) {
        values(child, unsure, found);
    }
}

fn is_mask(text: Text<'_>) -> bool {
    let text = text.as_cow();
    let is_bracket = |character: char| matches!(character, '<' | '>' | '[' | ']' | '(' | ')');
    let word = text.trim_matches(is_bracket);
    let is_starred = word.len() >= 3 && word.bytes().all(|byte| byte == b'*');
    is_starred || word != text && WORDS.iter().any(|own| word.starts_with(own))
}
