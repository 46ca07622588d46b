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
    // schema
    &schema::params::RULE,
    &schema::result::RULE,
    // ext
];

/// The rule of this id, and its index in the catalogue.
pub fn find(id: &str) -> Option<(usize, &'static Rule)> {
    CATALOGUE.iter().position(|rule| rule.id == id).map(|index| (index, CATALOGUE[index]))
}
