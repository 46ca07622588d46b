//! Terminals of the agent as targets of a cancellation.

use crate::{model::session::agent_terminals::AgentTerminal, rules::cancellation::Target};

/// The target for a terminal.
pub(super) fn of<'a>(id: &'a str, display: &'a AgentTerminal) -> Target<'a> {
    Target {
        what: "terminal",
        id,
        last: display.last,
        end: display.exit,
        cancellation: &display.cancellation,
    }
}
