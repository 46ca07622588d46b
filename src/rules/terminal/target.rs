//! Display terminals as targets of a cancellation.

use crate::{model::display::Display, rules::cancellation::Target};

pub(super) fn of<'a>(id: &'a str, display: &'a Display) -> Target<'a> {
    Target {
        what: "terminal",
        id,
        last: display.last,
        end: display.exit,
        cancellation: &display.cancellation,
    }
}
