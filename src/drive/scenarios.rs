//! The scenarios: each is one value in one file.
//!
//! A new scenario gets a file with a value `SCENARIO`, is declared here, and stands in [`SCENARIOS`].

use crate::drive::Scenario;

mod additional_directories;
mod all_capabilities;
mod archive;
mod big_prompt;
mod cancel;
mod cancel_permission;
mod cancel_request;
mod cancel_tool_call;
mod close_busy;
mod content;
mod elicitation;
mod files;
mod fork;
mod future_version;
mod initialize;
mod lists;
mod logout;
mod malformed;
mod mcp;
mod other_values;
mod other_version;
mod prelude;
mod providers;
mod resume;
mod sessions;
mod status;
mod system_prompt;
mod terminals;
mod title;
mod turn;
mod turn_denied;
mod two_clients;
mod two_prompts;
mod two_sessions;
mod unknown_methods;
mod unknown_sessions;

/// All scenarios, in the order in which they are played.
pub static SCENARIOS: &[&Scenario] = &[
    &initialize::SCENARIO,
    &all_capabilities::SCENARIO,
    &future_version::SCENARIO,
    &other_version::SCENARIO,
    &unknown_methods::SCENARIO,
    &malformed::SCENARIO,
    &sessions::SCENARIO,
    &other_values::SCENARIO,
    &lists::SCENARIO,
    &unknown_sessions::SCENARIO,
    &fork::SCENARIO,
    &additional_directories::SCENARIO,
    &system_prompt::SCENARIO,
    &title::SCENARIO,
    &archive::SCENARIO,
    &status::SCENARIO,
    &providers::SCENARIO,
    &mcp::SCENARIO,
    &logout::SCENARIO,
    // turns
    &turn::SCENARIO,
    &turn_denied::SCENARIO,
    &cancel::SCENARIO,
    &content::SCENARIO,
    &resume::SCENARIO,
    &files::SCENARIO,
    &two_sessions::SCENARIO,
    &close_busy::SCENARIO,
    &cancel_permission::SCENARIO,
    &cancel_request::SCENARIO,
    &cancel_tool_call::SCENARIO,
    &two_prompts::SCENARIO,
    &big_prompt::SCENARIO,
    &terminals::SCENARIO,
    &elicitation::SCENARIO,
    &two_clients::SCENARIO,
];
