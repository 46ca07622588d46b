//! What the lines of a recording can show at all.

use crate::{event::End, model::Connection, rule::Verdict};

/// Ticks a rule off once, if the recording keeps the lines as they crossed the wire: lines that are
/// in order have nothing to count.
pub(super) fn upheld(_: &End, connection: &Connection) -> Option<Verdict> {
    connection.recording().is_raw.then_some(Verdict::Pass)
}
