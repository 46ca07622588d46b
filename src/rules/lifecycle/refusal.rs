//! Answers that refuse a version.

use crate::json::Node;

/// Whether an error speaks of the version, whatever its code.
pub(super) fn speaks_of_version(error: Node<'_>) -> bool {
    let says = |node: Node<'_>| node.raw().to_ascii_lowercase().contains("version");
    error.get("message").is_some_and(says) || error.get("data").is_some_and(says)
}
