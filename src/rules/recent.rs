//! The severity of findings about requirements that the revision of 20 November 2026 added.

use crate::{model::Connection, protocol::Edition, rule::Severity};

/// Returns `Error` when that edition or a later one is pinned, `before` when an earlier one is
/// pinned, and `Warning` when none is: the sender may be older.
pub(in crate::rules) fn severity(connection: &Connection, before: Severity) -> Severity {
    match connection.pinned_edition() {
        None => Severity::Warning,
        Some(edition) if edition >= Edition::LateNovember2026 => Severity::Error,
        Some(_) => before,
    }
}
