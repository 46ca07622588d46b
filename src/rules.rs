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
    // surface
    // session
    &session::unknown_id::RULE,
    // plan
    &plan::partial_update_shape::RULE,
    &plan::partial_update_proven::RULE,
    &plan::partial_update_suspected::RULE,
    &plan::unfinished_entry_dropped::RULE,
    &plan::markdown_chunked::RULE,
    &plan::id_per_update::RULE,
    &plan::duplicate_representation::RULE,
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
    &plan::not_replayed::RULE,
    // schema
    &schema::params::RULE,
    &schema::result::RULE,
    // ext
];

/// The rule of this id, and its index in the catalogue.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
