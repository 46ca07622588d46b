//! Messages that may have crossed on their way.

use crate::{
    event::Call,
    model::Connection,
    rule::{Finding, Severity},
};

/// A finding about a request that came right after the message which forbids it: in a recording
/// with times, taken while both were under way, its sender may not have known.
pub(super) fn softened(
    finding: Finding,
    call: &Call<'_>,
    forbidden: u64,
    connection: &Connection,
) -> Finding {
    if call.at.is_some() && forbidden + 1 == connection.number() {
        finding.as_severity(Severity::Info)
    } else {
        finding
    }
}
