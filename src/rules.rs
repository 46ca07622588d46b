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
    // jsonrpc
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
    // session
    &session::unknown_id::RULE,
    // plan
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
    // what no rule above explains
    &schema::params::RULE,
    &schema::result::RULE,
    &ext::unprefixed_value::RULE,
    &ext::unknown_field::RULE,
];

/// The rule of this id, and its index in the catalogue.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
