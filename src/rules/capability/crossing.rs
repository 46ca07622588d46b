//! Messages that may have crossed on their way.

use crate::{
    event::Call,
    model::Connection,
    rule::{Finding, Severity},
};

/// Seconds within which two messages of different sides may have crossed on the wire.
const CROSSING: f64 = 0.01;

/// A finding about a request that came right after the message which forbids it: in a recording
/// with times, taken while both were under way, its sender may not have known.
pub(super) fn softened(
    finding: Finding,
    call: &Call<'_>,
    forbidden: u64,
    connection: &Connection,
) -> Finding {
    let gap = call.at.zip(connection.previous_at()).map(|(now, before)| now - before);
    if forbidden + 1 == connection.number() && gap.is_some_and(|gap| gap < CROSSING) {
        finding.as_severity(Severity::Info)
    } else {
        finding
    }
}
