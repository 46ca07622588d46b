//! Recognises errors that report a cancellation.

use crate::json::Node;

/// Returns true when the code of the error is -32800, that of a cancelled request.
pub(crate) fn is_code(error: Node<'_>) -> bool {
    error.get("code").and_then(Node::integer) == Some(-32800)
}

/// Returns true when `message` or `data` of the error contains a word for a cancellation.
pub(crate) fn is_named(error: Node<'_>) -> bool {
    const WORDS: [&str; 4] = ["abort", "cancel", "interrupt", "user stopped"];
    let texts = [error.get("message"), error.get("data")];
    texts.into_iter().flatten().flat_map(Node::texts).any(|text| {
        let text = text.as_cow().to_ascii_lowercase();
        WORDS.iter().any(|word| text.contains(word))
    })
}
