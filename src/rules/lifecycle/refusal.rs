//! Recognises errors about the protocol version.

use crate::json::Node;

/// Returns true when `message` or `data` of the error contains the word "version". The code does
/// not matter.
pub(super) fn speaks_of_version(error: Node<'_>) -> bool {
    let says = |node: Node<'_>| node.raw().to_ascii_lowercase().contains("version");
    error.get("message").is_some_and(says) || error.get("data").is_some_and(says)
}
