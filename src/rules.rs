//! The catalogue: every rule, in the order of its documentation.
//!
//! The order is also that of precedence where several rules would speak of one place of a message:
//! a rule that stands earlier may explain the place, and the schema and extension rules at the end
//! speak only of what is left.

use crate::rule::Rule;

mod auth;
mod capability;
mod command;
mod ext;
mod jsonrpc;
mod lifecycle;
mod paths;
mod plan;
mod schema;
mod session;
mod subagent;
mod surface;
mod transport;

/// Every rule.
pub static CATALOGUE: &[&Rule] = &[
    // transport
    // jsonrpc
    // lifecycle
    // surface
    // capability
    &capability::agent_method::RULE,
    &capability::client_method::RULE,
    &capability::prompt_content::RULE,
    &capability::mcp_transport::RULE,
    &capability::additional_directories::RULE,
    &capability::session_info_directories::RULE,
    &capability::boolean_config_option::RULE,
    &capability::terminal_auth::RULE,
    &capability::gated_update::RULE,
    &capability::malformed::RULE,
    &capability::unknown_key::RULE,
    &capability::dependency::RULE,
    &capability::advertised_method_unimplemented::RULE,
    &capability::tool_call_cancel::RULE,
    &capability::terminal_cancel::RULE,
    &capability::auth_status_update::RULE,
    &capability::archive_filter::RULE,
    &capability::system_prompt::RULE,
    &capability::system_prompt_override::RULE,
    &capability::system_prompt_content::RULE,
    // session
    &session::unknown_id::RULE,
    &session::update_before_response::RULE,
    &session::duplicate_id::RULE,
    &session::use_after_close::RULE,
    &session::overlapping_prompts::RULE,
    &session::relative_path::RULE,
    &session::additional_directories_redundant::RULE,
    &session::resume_unrequested_replay::RULE,
    &session::replay_after_response::RULE,
    &session::replay_missing::RULE,
    &session::cwd_mismatch::RULE,
    &session::deleted_still_listed::RULE,
    &session::cursor_not_issued::RULE,
    &session::cursor_filter_changed::RULE,
    &session::list_cwd_filter::RULE,
    &session::mode_not_available::RULE,
    &session::current_mode_unknown::RULE,
    &session::mode_field_misspelt::RULE,
    &session::message_id_kind_changed::RULE,
    &session::message_id_resumed::RULE,
    &session::usage_exceeds_size::RULE,
    &session::usage_currency::RULE,
    &session::cost_decreased::RULE,
    &session::update_outside_turn::RULE,
    &session::not_active::RULE,
    &session::message_after_close::RULE,
    &session::close_before_cancelled_idle::RULE,
    &session::close_error::RULE,
    &session::close_pending_prompt_code::RULE,
    &session::null_collection::RULE,
    &session::resume_missing_state::RULE,
    &session::resume_state_before_replay::RULE,
    &session::replay_chunk_without_primer::RULE,
    &session::replay_message_id_changed::RULE,
    &session::resume_cursor_substituted::RULE,
    &session::list_continue_after_end::RULE,
    &session::list_cursor_loop::RULE,
    &session::list_duplicate_session::RULE,
    &session::archived_missing::RULE,
    &session::archive_filter_violated::RULE,
    &session::archived_state::RULE,
    &session::archive_active_not_closed::RULE,
    &session::delete_error::RULE,
    &session::status_side_effect::RULE,
    &session::status_unknown_code::RULE,
    &session::status_contradiction::RULE,
    &session::set_title_empty::RULE,
    &session::title_overwritten::RULE,
    &session::usage_total_mismatch::RULE,
    &session::usage_recounted::RULE,
    // auth
    &auth::unadvertised_method::RULE,
    &auth::terminal_method_authenticated::RULE,
    &auth::duplicate_method_id::RULE,
    &auth::still_required::RULE,
    &auth::retry_without_login::RULE,
    &auth::status_rejected::RULE,
    &auth::terminal_env_duplicate::RULE,
    &auth::required_without_methods::RULE,
    &auth::logout_failed::RULE,
    &auth::status_update_redundant::RULE,
    &auth::state_contradiction::RULE,
    // command
    &command::leading_slash::RULE,
    &command::duplicate_name::RULE,
    &command::whitespace_name::RULE,
    // subagent
    &subagent::traffic_before_announcement::RULE,
    &subagent::mutation_not_permitted::RULE,
    &subagent::parent_changed::RULE,
    &subagent::state_mismatch::RULE,
    // plan
    &plan::missing_id::RULE,
    &plan::legacy_id_field::RULE,
    &plan::id_conflict::RULE,
    &plan::mixed_id_spelling::RULE,
    &plan::empty_id::RULE,
    &plan::id_on_legacy_update::RULE,
    &plan::entry_identity_field::RULE,
    &plan::operation_without_capability::RULE,
    &plan::legacy_capability_key::RULE,
    &plan::malformed_capability::RULE,
    &plan::misplaced_capability::RULE,
    &plan::capability_on_v2::RULE,
    &plan::v1_update_in_v2::RULE,
    &plan::legacy_update_with_capability::RULE,
    &plan::closed_enum_value::RULE,
    &plan::reserved_status::RULE,
    &plan::reserved_priority::RULE,
    &plan::reserved_type::RULE,
    &plan::bare_underscore::RULE,
    &plan::empty_content::RULE,
    &plan::duplicate_entry::RULE,
    &plan::file_uri_not_absolute::RULE,
    &plan::file_uri_scheme::RULE,
    &plan::file_uri_authority::RULE,
    &plan::file_outside_roots::RULE,
    &plan::overlong_entry::RULE,
    &plan::uniform_priority::RULE,
    // schema
    &schema::params::RULE,
    &schema::result::RULE,
    // ext
];

/// The rule of this id, and its index in the catalogue.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
