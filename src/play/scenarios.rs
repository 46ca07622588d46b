//! The scenarios: each is one value in one file.
//!
//! A new scenario gets a file with a value `SCENARIO`, is declared here, and stands in [`SCENARIOS`].

use crate::play::Scenario;

mod big;
mod cancel;
mod cancel_pending;
mod cancel_then_ask;
mod content;
mod elicitation;
mod error;
mod extensions;
mod files;
mod ids;
mod late;
mod messages;
mod modes;
mod nulls;
mod out_of_turn;
mod permission;
mod permissions;
mod plan_operations;
mod plans;
mod prelude;
mod rare_values;
mod states;
mod stops;
mod terminals;
mod tools;
mod turn;
mod withdraw;

/// All scenarios, in the order in which they are listed and played. The first is played for a
/// prompt that names none.
pub static SCENARIOS: &[&Scenario] = &[
    &turn::SCENARIO,
    &tools::SCENARIO,
    &messages::SCENARIO,
    &content::SCENARIO,
    &plans::SCENARIO,
    &plan_operations::SCENARIO,
    &permission::SCENARIO,
    &permissions::SCENARIO,
    &withdraw::SCENARIO,
    &files::SCENARIO,
    &terminals::SCENARIO,
    &elicitation::SCENARIO,
    &modes::SCENARIO,
    &extensions::SCENARIO,
    &ids::SCENARIO,
    &nulls::SCENARIO,
    &big::SCENARIO,
    // turns of their own
    &cancel::SCENARIO,
    &cancel_pending::SCENARIO,
    &cancel_then_ask::SCENARIO,
    &late::SCENARIO,
    &out_of_turn::SCENARIO,
    &error::SCENARIO,
    &stops::SCENARIO,
    &rare_values::SCENARIO,
    &states::SCENARIO,
];
