//! Rules about notices, which an agent shows to the user.

pub(super) mod empty_title;
pub(super) mod replayed;
