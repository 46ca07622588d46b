//! Recognises errors about the protocol version.

use crate::json::{Node, Text};

/// Whether the text of an error contains the word "version", in `message` or `data`. The code does
/// not matter.
pub(super) fn speaks_of_version(error: Node<'_>) -> bool {
    let is_about = |text: Text<'_>| text.as_cow().to_ascii_lowercase().contains("version");
    let says = |node: Node<'_>| node.texts().any(is_about);
    error.get("message").is_some_and(says) || error.get("data").is_some_and(says)
}
