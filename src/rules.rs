//! The catalogue: every rule, in the order of its documentation.
//!
//! The order is also that of precedence where several rules would speak of one place of a message:
//! a rule that stands earlier may explain the place, and the schema and extension rules at the end
//! speak only of what is left.

use crate::rule::Rule;

mod ext;
mod jsonrpc;
mod lifecycle;
mod plan;
mod schema;
mod session;
mod surface;
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
    // surface
    // session
    &session::unknown_id::RULE,
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
