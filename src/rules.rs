//! The catalogue: every rule, in the order of its documentation.
//!
//! The order is also that of precedence where several rules would speak of one place of a message:
//! a rule that stands earlier may explain the place, and the schema and extension rules at the end
//! speak only of what is left.

use crate::rule::Rule;

mod base64;
mod cancel;
mod cancellation;
mod compaction;
mod config;
mod content;
mod elicitation;
mod ext;
mod fs;
mod jsonrpc;
mod lifecycle;
mod message;
mod notice;
mod paths;
mod permission;
mod plan;
mod prompt;
mod schema;
mod session;
mod state;
mod surface;
mod terminal;
mod tool_call;
mod transport;

/// Every rule.
pub static CATALOGUE: &[&Rule] = &[
    // transport
    &transport::not_json::RULE,
    &transport::not_object::RULE,
    &transport::lsp_framing::RULE,
    &transport::embedded_newline::RULE,
    &transport::invalid_utf8::RULE,
    &transport::duplicate_key::RULE,
    &transport::bom::RULE,
    &transport::truncated_tail::RULE,
    // jsonrpc
    &jsonrpc::version::RULE,
    &jsonrpc::batch::RULE,
    &jsonrpc::ambiguous_shape::RULE,
    &jsonrpc::result_xor_error::RULE,
    &jsonrpc::id_type::RULE,
    &jsonrpc::null_id::RULE,
    &jsonrpc::duplicate_id::RULE,
    &jsonrpc::unmatched_response::RULE,
    &jsonrpc::response_id_type::RULE,
    &jsonrpc::duplicate_response::RULE,
    &jsonrpc::notification_with_id::RULE,
    &jsonrpc::request_without_id::RULE,
    &jsonrpc::error_object::RULE,
    &jsonrpc::error_code_reserved::RULE,
    &jsonrpc::unanswered_request::RULE,
    &jsonrpc::batch_empty::RULE,
    &jsonrpc::batch_empty_response::RULE,
    &jsonrpc::batch_response_split::RULE,
    &jsonrpc::batch_mixed_kinds::RULE,
    &jsonrpc::batch_lifecycle_method::RULE,
    &jsonrpc::batch_invalid_entry::RULE,
    &jsonrpc::params_not_object::RULE,
    &jsonrpc::unexpected_envelope_member::RULE,
    &jsonrpc::response_to_notification::RULE,
    &jsonrpc::null_id_error_code::RULE,
    &jsonrpc::error_message_format::RULE,
    &jsonrpc::error_data_shape::RULE,
    &jsonrpc::error_code_unassigned::RULE,
    &jsonrpc::id_reuse::RULE,
    &jsonrpc::undefined_method_accepted::RULE,
    &jsonrpc::proxy_params_type::RULE,
    // lifecycle
    &lifecycle::initialize_first::RULE,
    &lifecycle::initialize_pipelined::RULE,
    &lifecycle::reinitialize::RULE,
    &lifecycle::version_mismatch_continue::RULE,
    &lifecycle::version_above_request::RULE,
    &lifecycle::version_zero::RULE,
    &lifecycle::missing_info::RULE,
    &lifecycle::capabilities_omitted::RULE,
    &lifecycle::wrong_direction::RULE,
    &lifecycle::agent_before_initialize::RULE,
    &lifecycle::initialize_failed::RULE,
    &lifecycle::request_after_failed_initialize::RULE,
    &lifecycle::unknown_version_agreed::RULE,
    &lifecycle::version_not_highest::RULE,
    &lifecycle::unsupported_version_data::RULE,
    &lifecycle::version_refused::RULE,
    &lifecycle::client_continues_unsupported::RULE,
    &lifecycle::empty_info::RULE,
    &lifecycle::proxy_initialize_not_forwarded::RULE,
    &lifecycle::proxy_version_changed::RULE,
    // surface
    &surface::method_from_other_version::RULE,
    &surface::update_from_other_version::RULE,
    &surface::unstable_feature::RULE,
    &surface::withdrawn_method::RULE,
    &surface::field_from_other_version::RULE,
    // plan
    &plan::partial_update_shape::RULE,
    &plan::partial_update_proven::RULE,
    &plan::partial_update_suspected::RULE,
    &plan::unfinished_entry_dropped::RULE,
    &plan::markdown_chunked::RULE,
    &plan::missing_id::RULE,
    &plan::legacy_id_field::RULE,
    &plan::id_conflict::RULE,
    &plan::mixed_id_spelling::RULE,
    &plan::empty_id::RULE,
    &plan::id_on_legacy_update::RULE,
    &plan::entry_identity_field::RULE,
    &plan::id_per_update::RULE,
    &plan::operation_without_capability::RULE,
    &plan::legacy_capability_key::RULE,
    &plan::malformed_capability::RULE,
    &plan::misplaced_capability::RULE,
    &plan::capability_on_v2::RULE,
    &plan::v1_update_in_v2::RULE,
    &plan::legacy_update_with_capability::RULE,
    &plan::duplicate_representation::RULE,
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
    &plan::removed_unknown::RULE,
    &plan::removed_twice::RULE,
    &plan::update_after_removal::RULE,
    &plan::removed_anonymous::RULE,
    &plan::type_changed::RULE,
    &plan::no_op_update::RULE,
    &plan::status_regression::RULE,
    &plan::skipped_in_progress::RULE,
    &plan::multiple_in_progress::RULE,
    &plan::in_progress_at_turn_end::RULE,
    &plan::cancelled_turn_left_running::RULE,
    &plan::never_progressed::RULE,
    &plan::empty_instead_of_removed::RULE,
    &plan::overlong_entry::RULE,
    &plan::uniform_priority::RULE,
    &plan::not_replayed::RULE,
    // session
    &session::unknown_id::RULE,
    // message
    &message::empty_id::RULE,
    &message::chunk_after_completion::RULE,
    // permission
    &permission::option_not_offered::RULE,
    &permission::selected_after_cancel::RULE,
    &permission::unanswered_after_cancel::RULE,
    &permission::duplicate_option_id::RULE,
    &permission::no_options::RULE,
    &permission::proceeded_before_answer::RULE,
    &permission::proceeded_without_approval::RULE,
    &permission::unannounced_tool_call::RULE,
    &permission::not_withdrawn::RULE,
    &permission::pending_at_idle::RULE,
    &permission::relative_cwd::RULE,
    &permission::unknown_reference::RULE,
    // tool-call
    &tool_call::unknown_id::RULE,
    &tool_call::duplicate_create::RULE,
    &tool_call::status_regression::RULE,
    &tool_call::unfinished_at_turn_end::RULE,
    &tool_call::relative_path::RULE,
    &tool_call::line_zero::RULE,
    &tool_call::terminal_not_live::RULE,
    &tool_call::bare_content_block::RULE,
    &tool_call::session_update_in_permission::RULE,
    &tool_call::name_changed::RULE,
    &tool_call::missing_title::RULE,
    &tool_call::chunk_before_update::RULE,
    &tool_call::unfinished_at_idle::RULE,
    &tool_call::diff_patch_relative_path::RULE,
    &tool_call::diff_patch_inconsistent::RULE,
    &tool_call::diff_patch_commit_metadata::RULE,
    &tool_call::diff_patch_missing::RULE,
    &tool_call::terminal_ref_undefined::RULE,
    &tool_call::cancel_unknown_accepted::RULE,
    &tool_call::cancel_error_code::RULE,
    &tool_call::cancel_not_confirmed::RULE,
    &tool_call::cancel_advertised_after_final::RULE,
    // fs
    &fs::relative_path::RULE,
    &fs::line_zero::RULE,
    &fs::limit_exceeded::RULE,
    // terminal
    &terminal::unknown_id::RULE,
    &terminal::use_after_release::RULE,
    &terminal::never_released::RULE,
    &terminal::output_exceeds_limit::RULE,
    &terminal::relative_cwd::RULE,
    &terminal::duplicate_id::RULE,
    &terminal::exit_status_changed::RULE,
    &terminal::command_with_spaces::RULE,
    &terminal::cwd_changed::RULE,
    &terminal::invalid_base64::RULE,
    &terminal::id_reused::RULE,
    &terminal::output_after_exit::RULE,
    &terminal::first_update_without_command::RULE,
    &terminal::cancel_unknown_accepted::RULE,
    &terminal::cancel_not_confirmed::RULE,
    &terminal::cancel_advertised_after_exit::RULE,
    // content
    &content::timestamp_format::RULE,
    &content::invalid_base64::RULE,
    &content::uri_not_absolute::RULE,
    &content::annotation_priority_range::RULE,
    &content::mime_type::RULE,
    &content::icon_scheme::RULE,
    // notice
    &notice::replayed::RULE,
    &notice::empty_title::RULE,
    // compaction
    &compaction::chunk_outside_progress::RULE,
    &compaction::reopened::RULE,
    &compaction::summary_status::RULE,
    &compaction::unfinished::RULE,
    &compaction::transient_replayed::RULE,
    // config
    &config::unknown_option::RULE,
    &config::value_not_offered::RULE,
    &config::current_value_not_offered::RULE,
    &config::duplicate_id::RULE,
    &config::incomplete_state::RULE,
    &config::value_not_applied::RULE,
    &config::modes_out_of_sync::RULE,
    &config::duplicate_option_value::RULE,
    &config::duplicate_group_id::RULE,
    &config::invalid_value_accepted::RULE,
    &config::set_without_options::RULE,
    &config::error_code::RULE,
    // prompt
    &prompt::empty::RULE,
    // state
    &state::idle_without_running::RULE,
    &state::idle_missing_stop_reason::RULE,
    &state::error_stop_without_error::RULE,
    &state::missing_idle::RULE,
    &state::requires_action_unresolved::RULE,
    &state::permission_without_requires_action::RULE,
    &state::requires_action_without_request::RULE,
    &state::cancel_not_confirmed::RULE,
    &state::cancelled_reported_as_error::RULE,
    &state::update_after_cancelled_idle::RULE,
    &state::cancelled_without_cancel::RULE,
    &state::missing_cancelled_idle::RULE,
    &state::background_omitted::RULE,
    &state::background_unannounced::RULE,
    &state::background_dropped_unfinished::RULE,
    &state::background_duplicate::RULE,
    &state::background_listed_after_final::RULE,
    &state::output_while_idle::RULE,
    // cancel
    &cancel::wrong_stop_reason::RULE,
    &cancel::error_response::RULE,
    &cancel::unsolicited::RULE,
    &cancel::update_after_response::RULE,
    &cancel::no_active_turn::RULE,
    &cancel::request_unknown_id::RULE,
    &cancel::foreign_request::RULE,
    &cancel::request_unanswered::RULE,
    &cancel::wrong_error_code::RULE,
    &cancel::proxy_forwarded::RULE,
    // elicitation
    &elicitation::unsupported_mode::RULE,
    &elicitation::unsupported_mode_code::RULE,
    &elicitation::ambiguous_scope::RULE,
    &elicitation::unknown_request_scope::RULE,
    &elicitation::id_reused::RULE,
    &elicitation::complete_unknown_id::RULE,
    &elicitation::secret_in_form::RULE,
    &elicitation::url_credentials::RULE,
    &elicitation::url_not_https::RULE,
    &elicitation::content_mismatch::RULE,
    &elicitation::content_ignored::RULE,
    &elicitation::url_in_form::RULE,
    &elicitation::required_unknown_property::RULE,
    &elicitation::default_invalid::RULE,
    &elicitation::nested_schema::RULE,
    &elicitation::unadvertised_mode_answered::RULE,
    // schema
    &schema::union_fallthrough::RULE,
    &schema::null_result::RULE,
    &schema::null_array::RULE,
    &schema::field_casing::RULE,
    &schema::empty_identifier::RULE,
    // ext
    &ext::unprefixed_method::RULE,
    &ext::trace_context_format::RULE,
    &ext::undeclared_extension::RULE,
    &ext::unknown_method_error::RULE,
    &ext::dollar_method::RULE,
    &ext::meta_not_object::RULE,
    // what is left
    &schema::params::RULE,
    &schema::result::RULE,
    &ext::unprefixed_value::RULE,
    &ext::unknown_field::RULE,
];

/// The rule of this id, and its index in the catalogue.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
