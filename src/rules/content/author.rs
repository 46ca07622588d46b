//! Who answers for a block of content.

use crate::{event::Block, protocol::Side};

/// The sender of a block; `None` where the agent shows what the user has said, for which it need not
/// be to blame.
pub(crate) fn author(block: &Block<'_>) -> Option<Side> {
    let kind = block.param("update").and_then(|update| update.get("sessionUpdate")?.text());
    let is_of_user = kind.is_some_and(|kind| kind.as_cow().starts_with("user_message"));
    block.sender.filter(|_| !is_of_user)
}
