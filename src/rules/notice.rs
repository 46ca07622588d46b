pub(super) mod empty_title;
pub(super) mod replayed;
