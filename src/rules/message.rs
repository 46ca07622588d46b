//! Rules about the messages of a session: empty ids, and chunks that arrive after the end.

pub(super) mod chunk_after_completion;
pub(super) mod empty_id;
