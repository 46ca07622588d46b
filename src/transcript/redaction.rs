//! Values that a recorder has masked, or of which it does not tell what they are.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::json::{Node, Text};

/// Words that tools write in place of values, without brackets around them.
const WORDS: [&str; 5] = ["REDACTED", "redacted", "***", "MASKED", "masked"];
/// Member by which hydra-acp marks an object in place of a text that is stored elsewhere.
const ELSEWHERE: &str = "__hydraBlob";

/// Whether a text may have masked values. A fast test; `values` decides.
pub fn may_be_in(text: &str) -> bool {
    /// Searchers for the words of masks, made once, since making them takes longer than searching a
    /// message.
    static SIGNS: LazyLock<Vec<Finder<'static>>> =
        LazyLock::new(|| WORDS.iter().chain([&ELSEWHERE, &"\"~"]).map(Finder::new).collect());
    SIGNS.iter().any(|sign| sign.find(text.as_bytes()).is_some())
}

/// Whether a message has values that a person or tool masked, written as words in brackets. Stars
/// do not count, since they have other uses.
pub fn is_in(message: Node<'_>) -> bool {
    let is_own = |node: Node<'_>| {
        node.text().is_some_and(|text| {
            let text = text.as_cow();
            text.len() < 40 && text.starts_with(['<', '[']) && is_mask_word(&text)
        })
    };
    let mut is_there = false;
    if may_be_in(message.raw()) {
        values(message, &[], false, &mut |value, _| is_there |= is_own(value));
    }
    is_there
}

/// Calls `found` for each value of a message that is masked or begins at an offset in `unsure`, in
/// order; the flag is `true` for masked ones. `has_homes` counts paths that begin with `~` as
/// masked.
pub fn values<'t>(
    node: Node<'t>,
    unsure: &[u32],
    has_homes: bool,
    found: &mut dyn FnMut(Node<'t>, bool),
) {
    // As deep as they are nested, values would end the stack.
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        let start = u32::try_from(node.range().start).unwrap_or(u32::MAX);
        let is_masked = node.text().is_some_and(|text| is_mask(text, has_homes))
            || node.get(ELSEWHERE).is_some();
        if is_masked || unsure.binary_search(&start).is_ok() {
            found(node, is_masked);
            continue;
        }
        let behind = waiting.len();
        waiting.extend(node.elements().chain(node.members().map(|(_, value)| value)));
        waiting[behind..].reverse();
    }
}

fn is_mask(text: Text<'_>, has_homes: bool) -> bool {
    let text = text.as_cow();
    let is_home = || text == "~" || text.starts_with("~/") || text.starts_with("~\\");
    is_mask_word(&text) || has_homes && is_home()
}

/// Whether a text is a mask word, or a path whose first part is one.
fn is_mask_word(text: &str) -> bool {
    let head = text.split(['/', '\\']).next().unwrap_or(text);
    is_word(text) || is_word(head)
}

fn is_word(text: &str) -> bool {
    let is_bracket = |character: char| matches!(character, '<' | '>' | '[' | ']' | '(' | ')');
    let word = text.trim_matches(is_bracket);
    let is_starred = word.len() >= 3 && word.bytes().all(|byte| byte == b'*');
    let is_enclosed = text.starts_with(is_bracket) && text.ends_with(is_bracket);
    is_starred || is_enclosed && WORDS.iter().any(|own| word.starts_with(own))
}
