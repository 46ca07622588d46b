//! The side at fault for a content block.

use crate::{event::Block, protocol::Side};

/// The side that is responsible for a content block. `None` for a message of the user that the
/// agent repeats, where either side may be at fault.
pub(crate) fn author(block: &Block<'_>) -> Option<Side> {
    let kind = block.param("update").and_then(|update| update.get("sessionUpdate")?.text());
    let is_of_user = kind.is_some_and(|kind| kind.as_cow().starts_with("user_message"));
    block.sender.filter(|_| !is_of_user)
}
