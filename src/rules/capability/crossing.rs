//! Lowers the severity of findings about messages that may have crossed on the wire.

use crate::{
    event::Call,
    model::session::cancellation::Cancellation,
    rule::{Finding, Severity},
};

/// Seconds within which messages of different sides may have crossed.
const CROSSING: f64 = 1.0;

/// Lowers the severity of a finding to `Info` when the request came less than a second after the
/// message that forbids it, which its sender may not have received by then. Without times in the
/// recording the finding stays as it is.
pub(super) fn softened(finding: Finding, call: &Call<'_>, forbidden: &Cancellation) -> Finding {
    let gap = call.at.zip(forbidden.changed_at).map(|(now, then)| now - then);
    if forbidden.changed > 0 && gap.is_some_and(|gap| gap < CROSSING) {
        finding.as_severity(Severity::Info)
    } else {
        finding
    }
}
