//! Recordings that keep the bytes of the transport.

use crate::{event::End, model::Connection, rule::Verdict};

/// Passes at the end of a connection whose recording keeps lines as they were sent, so that the
/// rule counts as kept without findings; `None` for other recordings.
pub(super) fn met_at_end(_: &End, connection: &Connection) -> Option<Verdict> {
    connection.recording().is_raw.then_some(Verdict::Pass)
}
