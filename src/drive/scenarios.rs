//! The scenarios: each is one value in one file.
//!
//! A new scenario gets a file with a value `SCENARIO`, is declared here, and stands in [`SCENARIOS`].

use crate::drive::Scenario;

mod all_capabilities;
mod cancel;
mod close_busy;
mod content;
mod files;
mod future_version;
mod initialize;
mod malformed;
mod other_version;
mod prelude;
mod resume;
mod sessions;
mod turn;
mod turn_denied;
mod two_sessions;
mod unknown_methods;

/// All scenarios, in the order in which they are played.
pub static SCENARIOS: &[&Scenario] = &[
    &initialize::SCENARIO,
    &all_capabilities::SCENARIO,
    &future_version::SCENARIO,
    &other_version::SCENARIO,
    &unknown_methods::SCENARIO,
    &malformed::SCENARIO,
    &sessions::SCENARIO,
    // turns
    &turn::SCENARIO,
    &turn_denied::SCENARIO,
    &cancel::SCENARIO,
    &content::SCENARIO,
    &resume::SCENARIO,
    &files::SCENARIO,
    &two_sessions::SCENARIO,
    &close_busy::SCENARIO,
];
