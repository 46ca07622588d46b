//! Rules about the configuration options and modes of a session, and about LLM providers.

pub(super) mod current_value_not_offered;
pub(super) mod duplicate_group_id;
pub(super) mod duplicate_id;
pub(super) mod duplicate_option_value;
pub(super) mod error_code;
pub(super) mod incomplete_state;
pub(super) mod initial_options_updated;
pub(super) mod invalid_value_accepted;
pub(super) mod made_up_value_accepted;
pub(super) mod modes_missing;
pub(super) mod modes_out_of_sync;
pub(super) mod provider_not_applied;
pub(super) mod provider_required_disabled;
pub(super) mod provider_unknown_id;
pub(super) mod provider_unsupported_api_type;
pub(super) mod set_mode_despite_options;
pub(super) mod set_without_options;
pub(super) mod unknown_option;
pub(super) mod value_not_applied;
pub(super) mod value_not_offered;

mod lists;
mod refusals;
