//! Messages that may have crossed on their way.

use crate::{
    event::Call,
    model::session::cancellation::Cancellation,
    rule::{Finding, Severity},
};

/// Seconds within which two messages of different sides may have crossed on the wire.
const CROSSING: f64 = 1.0;

/// A finding about a request that came soon after the message which forbids it: in a recording
/// with times, taken while both were under way, its sender may not have known.
pub(super) fn softened(finding: Finding, call: &Call<'_>, forbidden: &Cancellation) -> Finding {
    let gap = call.at.zip(forbidden.changed_at).map(|(now, then)| now - then);
    if forbidden.changed > 0 && gap.is_some_and(|gap| gap < CROSSING) {
        finding.as_severity(Severity::Info)
    } else {
        finding
    }
}
