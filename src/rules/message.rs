pub(super) mod chunk_after_completion;
pub(super) mod empty_id;
