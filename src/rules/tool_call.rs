//! Rules about tool calls: their reports, statuses, content, diffs and cancellation.

pub(super) mod bare_content_block;
pub(super) mod cancel_advertised_after_final;
pub(super) mod cancel_error_code;
pub(super) mod cancel_not_confirmed;
pub(super) mod cancel_unknown_accepted;
pub(super) mod chunk_before_update;
pub(super) mod diff_patch_commit_metadata;
pub(super) mod diff_patch_inconsistent;
pub(super) mod diff_patch_missing;
pub(super) mod diff_patch_relative_path;
pub(super) mod duplicate_create;
pub(super) mod line_zero;
pub(super) mod missing_title;
pub(super) mod name_changed;
mod patch;
pub(super) mod relative_path;
pub(super) mod report;
pub(super) mod session_update_in_permission;
pub(super) mod status_regression;
mod target;
pub(super) mod terminal_not_live;
pub(super) mod terminal_ref_undefined;
pub(super) mod unfinished_at_idle;
pub(super) mod unfinished_at_turn_end;
pub(super) mod unknown_id;
pub(super) mod unknown_session;
