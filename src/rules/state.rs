//! Rules about the states of a session on version 2 (`state_update`), and about work in the
//! background.

pub(super) mod background_dropped_unfinished;
pub(super) mod background_duplicate;
pub(super) mod background_listed_after_final;
pub(super) mod background_omitted;
pub(super) mod background_unannounced;
pub(super) mod cancel_not_confirmed;
pub(super) mod cancelled_reported_as_error;
pub(super) mod cancelled_without_cancel;
pub(super) mod custom_without_standard;
pub(super) mod error_stop_without_error;
pub(super) mod error_without_prompt_error;
pub(super) mod idle_missing_stop_reason;
pub(super) mod idle_without_running;
pub(super) mod missing_cancelled_idle;
pub(super) mod missing_idle;
pub(super) mod output_while_idle;
pub(super) mod permission_without_requires_action;
pub(super) mod requires_action_unresolved;
pub(super) mod requires_action_without_request;
pub(super) mod update_after_cancelled_idle;

mod background;
pub(super) mod states;
