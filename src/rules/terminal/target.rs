//! Terminals of the agent as targets of a cancellation.

use crate::{model::session::agent_terminals::AgentTerminal, rules::cancellation::Target};

/// A terminal of the agent as the target of a cancellation, for the checks shared with tool calls.
pub(super) fn of<'a>(id: &'a str, display: &'a AgentTerminal) -> Target<'a> {
    Target {
        what: "terminal",
        id,
        last: display.last,
        end: display.exit,
        cancellation: &display.cancellation,
    }
}
