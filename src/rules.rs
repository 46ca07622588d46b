//! The catalogue: every rule, in the order of its documentation.
//!
//! The order is also that of precedence where several rules would speak of one place of a message:
//! a rule that stands earlier may explain the place, and the schema and extension rules at the end
//! speak only of what is left.

use crate::rule::Rule;

mod base64;
mod ext;
mod jsonrpc;
mod lifecycle;
mod paths;
mod permission;
mod plan;
mod schema;
mod session;
mod surface;
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
