//! The catalogue: every rule, in the order of its documentation.
//!
//! The order is also that of precedence where several rules would speak of one place of a message:
//! a rule that stands earlier may explain the place, and the schema and extension rules at the end
//! speak only of what is left.

use crate::rule::Rule;

mod base64;
mod cancellation;
mod compaction;
mod content;
mod ext;
mod fs;
mod jsonrpc;
mod lifecycle;
mod message;
mod notice;
mod paths;
mod permission;
mod plan;
mod schema;
mod session;
mod surface;
mod terminal;
mod tool_call;
mod transport;

/// Every rule.
pub static CATALOGUE: &[&Rule] = &[
    // transport
    // jsonrpc
    // lifecycle
    // surface
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
    // plan
    // schema
    &schema::params::RULE,
    &schema::result::RULE,
    // ext
];

/// The rule of this id, and its index in the catalogue.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
