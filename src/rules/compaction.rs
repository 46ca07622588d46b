pub(super) mod chunk_outside_progress;
pub(super) mod reopened;
pub(super) mod summary_status;
pub(super) mod transient_replayed;
pub(super) mod unfinished;
