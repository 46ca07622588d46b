//! Rules about permission requests: their options, their answers, and work that needs permission.

pub(super) mod always_granted;
pub(super) mod duplicate_option_id;
pub(super) mod effect_after_refusal;
pub(super) mod method_unsupported;
pub(super) mod never_asked;
pub(super) mod no_options;
pub(super) mod not_withdrawn;
mod open;
pub(super) mod option_not_offered;
pub(super) mod pending_at_idle;
pub(super) mod proceeded_before_answer;
pub(super) mod proceeded_without_approval;
pub(super) mod relative_cwd;
pub(super) mod selected_after_cancel;
pub(super) mod target_changed;
pub(super) mod unannounced_tool_call;
pub(super) mod unanswered_after_cancel;
pub(super) mod unknown_reference;
