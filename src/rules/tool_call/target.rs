//! Tool calls as targets of a cancellation.

use crate::{model::session::tool_calls::ToolCall, rules::cancellation::Target};

/// The target for a tool call.
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
