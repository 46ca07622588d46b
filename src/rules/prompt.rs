//! Rules about `session/prompt`: its content, its answer, and the messages that follow it.

pub(super) mod advertised_content_rejected;
pub(super) mod duplicate_message_id;
pub(super) mod empty;
pub(super) mod error_after_insertion;
pub(super) mod error_on_cancel;
pub(super) mod idempotency_id_changed;
pub(super) mod idempotency_key_accepted;
pub(super) mod idempotency_key_reused;
pub(super) mod missing_user_message;
pub(super) mod rejected_with_updates;
pub(super) mod response_after_completion;
pub(super) mod suggestion_empty;
pub(super) mod suggestion_replayed;
pub(super) mod unknown_skill_accepted;
pub(super) mod unknown_slash_command;
pub(super) mod unsupported_content_accepted;
