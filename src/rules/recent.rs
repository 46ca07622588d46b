//! What became an obligation with the revision of 20 November 2026.

use crate::{model::Connection, protocol::Edition, rule::Severity};

/// How a breach is reported: as an error where that edition is pinned; as a warning where none is,
/// since the sender may be older; otherwise as `before`.
pub(in crate::rules) fn severity(connection: &Connection, before: Severity) -> Severity {
    match connection.pinned_edition() {
        None => Severity::Warning,
        Some(edition) if edition >= Edition::LateNovember2026 => Severity::Error,
        Some(_) => before,
    }
}
