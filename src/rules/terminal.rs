//! Rules about terminals: those that the client runs on version 1, and those that the agent reports
//! on version 2.

pub(super) mod cancel_advertised_after_exit;
pub(super) mod cancel_not_confirmed;
pub(super) mod cancel_unknown_accepted;
pub(super) mod command_with_spaces;
pub(super) mod cwd_changed;
pub(super) mod duplicate_id;
pub(super) mod exit_status_changed;
pub(super) mod first_update_without_command;
pub(super) mod id_reused;
pub(super) mod invalid_base64;
pub(super) mod never_released;
pub(super) mod output_after_exit;
pub(super) mod output_exceeds_limit;
pub(super) mod outside_roots;
pub(super) mod relative_cwd;
mod target;
pub(super) mod unknown_id;
pub(super) mod use_after_release;
