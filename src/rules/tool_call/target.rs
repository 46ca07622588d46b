//! Tool calls as targets of a cancellation.

use crate::{model::session::tool_calls::ToolCall, rules::cancellation::Target};

/// A tool call as the target of a cancellation, for the checks shared with terminals.
pub(super) fn of<'a>(id: &'a str, call: &'a ToolCall) -> Target<'a> {
    let end = call.status.filter(|(status, ..)| status.is_final());
    Target {
        what: "tool call",
        id,
        last: call.last,
        end: end.map(|(_, at, number)| (at, number)),
        cancellation: call.cancellation(),
    }
}
