//! The catalogue of rules.
//!
//! Each rule is a value `RULE` in the file `rules/<family>/<name>.rs` of its id. The module of the
//! family declares the file, and [`CATALOGUE`] lists the rule. The other files are helpers of
//! several rules.
//!
//! The order of the catalogue is that of the documentation, and the order in which rules check an
//! event. It matters: a finding may explain a value, and the schema and extension rules at the end
//! report only values that no finding explains.

use crate::rule::Rule;

mod accepted;
mod auth;
mod base64;
mod cancel;
mod cancellation;
mod capability;
mod codes;
mod command;
mod compaction;
mod config;
mod content;
mod elicitation;
mod error_texts;
mod excerpt;
mod ext;
mod fs;
mod jsonrpc;
mod lifecycle;
mod mcp;
mod message;
mod named;
mod notice;
mod paths;
mod permission;
mod plan;
mod prompt;
mod recent;
mod registry;
mod repeated;
mod schema;
mod session;
mod state;
mod subagent;
mod surface;
mod terminal;
mod tool_call;
mod transport;
mod version_changes;

/// The id of the rule whose findings say that something was not checked, because it may be newer
/// than the schemas. Reports count them as not assessable.
pub const NOT_JUDGED: &str = "surface/newer-than-known";

/// The families of rules with what each is about, in the order of the catalogue.
pub static FAMILIES: &[(&str, &str)] = &[
    ("transport", "the bytes between messages: lines, encoding, and JSON itself"),
    (
        "jsonrpc",
        "JSON-RPC 2.0: members of a message, ids, batches, errors, requests and their answers",
    ),
    ("lifecycle", "the beginning of a connection: `initialize` and the agreement on a version"),
    ("surface", "what another version or edition defines: methods, updates, members, drafts"),
    ("plan", "agent plans: complete lists, ids, plan operations, values, progress"),
    ("capability", "what a side must advertise before the other side may use it"),
    ("session", "sessions: creation, list, replay, directories, modes, usage, end"),
    ("prompt", "`session/prompt`: its content, its answer, and what follows it"),
    ("message", "messages of a session: their ids, and chunks after the end"),
    ("state", "the states of a session on version 2, and work in the background"),
    ("cancel", "cancellation of a turn and of a request"),
    ("permission", "permission requests: options, answers, and work that needs permission"),
    ("tool-call", "tool calls: reports, statuses, content, diffs, cancellation"),
    ("terminal", "terminals of the client (version 1) and of the agent (version 2)"),
    ("fs", "the client's file methods (version 1)"),
    ("config", "configuration options, modes and LLM providers"),
    ("command", "the commands that an agent lists for a session"),
    ("elicitation", "questions of the agent to the user: forms and URLs"),
    ("auth", "authentication: the methods that an agent offers, login and logout"),
    ("mcp", "MCP: the servers of a session, and MCP over ACP"),
    ("content", "content blocks: base64, MIME types, timestamps, URIs"),
    ("notice", "notices, which an agent shows to the user"),
    ("compaction", "the compaction of a session: progress, summary, end"),
    ("subagent", "subagents: sessions that an agent starts within a session"),
    ("registry", "what the registry of agents adds; off unless selected (`--profile registry`)"),
    ("schema", "what the schemas reject and no other rule explains"),
    ("ext", "extensions: names that the protocol does not define, and `_meta`"),
];

/// All rules.
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
    &surface::withdrawn_plan_type::RULE,
    &surface::newer_than_known::RULE,
    &surface::field_from_other_version::RULE,
    // plan
    &plan::partial_update_shape::RULE,
    &plan::partial_update_proven::RULE,
    &plan::partial_update_suspected::RULE,
    &plan::unfinished_entry_dropped::RULE,
    &plan::markdown_chunked::RULE,
    &plan::markdown_path_not_absolute::RULE,
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
    &plan::lossy_downgrade::RULE,
    &plan::closed_enum_value::RULE,
    &plan::reserved_status::RULE,
    &plan::reserved_priority::RULE,
    &plan::reserved_type::RULE,
    &plan::bare_underscore::RULE,
    &plan::empty_content::RULE,
    &plan::duplicate_entry::RULE,
    &plan::file_uri::RULE,
    &plan::file_outside_roots::RULE,
    &plan::removed_unknown::RULE,
    &plan::removed_twice::RULE,
    &plan::update_after_removal::RULE,
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
    &capability::initial_options::RULE,
    &capability::skill_entries::RULE,
    &capability::system_prompt_content::RULE,
    &capability::system_prompt_accepted::RULE,
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
    &session::replay_complete_missing::RULE,
    &session::replay_complete_unexpected::RULE,
    &session::replay_after_complete::RULE,
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
    // prompt
    &prompt::empty::RULE,
    &prompt::missing_user_message::RULE,
    &prompt::duplicate_message_id::RULE,
    &prompt::idempotency_id_changed::RULE,
    &prompt::idempotency_key_reused::RULE,
    &prompt::response_after_completion::RULE,
    &prompt::error_after_insertion::RULE,
    &prompt::error_on_cancel::RULE,
    &prompt::advertised_content_rejected::RULE,
    &prompt::unsupported_content_accepted::RULE,
    &prompt::rejected_with_updates::RULE,
    &prompt::unknown_slash_command::RULE,
    // message
    &message::empty_id::RULE,
    &message::chunk_after_completion::RULE,
    // state
    &state::idle_without_running::RULE,
    &state::idle_missing_stop_reason::RULE,
    &state::error_stop_without_error::RULE,
    &state::error_without_prompt_error::RULE,
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
    &cancel::response_after_cancel_late::RULE,
    &cancel::proxy_forwarded::RULE,
    // permission
    &permission::option_not_offered::RULE,
    &permission::selected_after_cancel::RULE,
    &permission::unanswered_after_cancel::RULE,
    &permission::duplicate_option_id::RULE,
    &permission::method_unsupported::RULE,
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
    &tool_call::unknown_session::RULE,
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
    // fs
    &fs::relative_path::RULE,
    &fs::line_zero::RULE,
    &fs::limit_exceeded::RULE,
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
    &config::provider_required_disabled::RULE,
    &config::provider_unknown_id::RULE,
    &config::provider_not_applied::RULE,
    &config::provider_unsupported_api_type::RULE,
    // command
    &command::leading_slash::RULE,
    &command::duplicate_name::RULE,
    &command::whitespace_name::RULE,
    // elicitation
    &elicitation::unsupported_mode::RULE,
    &elicitation::unsupported_mode_code::RULE,
    &elicitation::ambiguous_scope::RULE,
    &elicitation::unknown_request_scope::RULE,
    &elicitation::id_reused::RULE,
    &elicitation::not_withdrawn::RULE,
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
    &elicitation::unknown_session_or_tool::RULE,
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
    &auth::methods_malformed_dropped::RULE,
    &auth::status_update_redundant::RULE,
    &auth::state_contradiction::RULE,
    // mcp
    &mcp::relative_command::RULE,
    &mcp::duplicate_env_name::RULE,
    &mcp::missing_type::RULE,
    &mcp::sse_transport::RULE,
    &mcp::unsupported_transport_accepted::RULE,
    &mcp::duplicate_server_name::RULE,
    &mcp::duplicate_acp_server_id::RULE,
    &mcp::undeclared_server::RULE,
    &mcp::request_id_reused::RULE,
    &mcp::response_both::RULE,
    &mcp::notification_inactive_request::RULE,
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
    // subagent
    &subagent::traffic_before_announcement::RULE,
    &subagent::mutation_not_permitted::RULE,
    &subagent::parent_changed::RULE,
    &subagent::state_mismatch::RULE,
    // registry
    &registry::version_not_integer::RULE,
    &registry::no_auth_method::RULE,
    // schema
    &schema::union_fallthrough::RULE,
    &schema::null_result::RULE,
    &schema::null_array::RULE,
    &schema::field_casing::RULE,
    &schema::misplaced_member::RULE,
    &schema::empty_identifier::RULE,
    // ext
    &ext::unprefixed_method::RULE,
    &ext::trace_context_format::RULE,
    &ext::undeclared_extension::RULE,
    &ext::unknown_method_error::RULE,
    &ext::dollar_method::RULE,
    &ext::meta_not_object::RULE,
    // schema and ext: values that no rule above explains
    &schema::params::RULE,
    &schema::result::RULE,
    &ext::unprefixed_value::RULE,
    &ext::unknown_field::RULE,
];

/// Ids of earlier rules, each with the rule that has its requirement now. Options, configuration and
/// baselines may have the earlier id; reports have the current one.
pub const ALIASES: &[(&str, &str)] = &[
    ("plan/file-uri-authority", "plan/file-uri"),
    ("plan/file-uri-not-absolute", "plan/file-uri"),
    ("plan/file-uri-scheme", "plan/file-uri"),
    ("plan/removed-anonymous", "plan/removed-unknown"),
];

/// The rule with an id or alias, and its index in the catalogue; `None` for an unknown id.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == id);
    let id = alias.map_or(id, |(_, current)| current);
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
