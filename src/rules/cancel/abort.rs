//! Errors that tell of a cancellation.

use crate::json::Node;

/// Whether the error has the code for a cancelled request.
pub(crate) fn is_code(error: Node<'_>) -> bool {
    error.get("code").and_then(Node::integer) == Some(-32800)
}

/// Whether the error says in words that something was cancelled.
pub(crate) fn is_named(error: Node<'_>) -> bool {
    const WORDS: [&str; 4] = ["abort", "cancel", "interrupt", "user stopped"];
    let texts = [error.get("message"), error.get("data")];
    texts.into_iter().flatten().any(|text| {
        let text = text.raw().to_ascii_lowercase();
        WORDS.iter().any(|word| text.contains(word))
    })
}
