//! The texts of an error: rules that read what it says read all of them.

use crate::json::{Node, Text};

/// The `message` of an error, and the places in `data` where SDKs put the text of what was thrown:
/// `data` itself, `data.details` and `data.message`.
pub(crate) fn error_texts(error: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    let data = error.get("data");
    let of = move |member: &str| data.and_then(|data| data.get(member));
    [error.get("message"), data, of("details"), of("message")]
        .into_iter()
        .flatten()
        .filter_map(Node::text)
}
