//! Rules about the compaction of a session: its progress, its summary and its end.

pub(super) mod chunk_outside_progress;
pub(super) mod reopened;
pub(super) mod summary_status;
pub(super) mod transient_replayed;
pub(super) mod unfinished;
