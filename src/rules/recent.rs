//! The severity of findings about requirements that the revision of 20 November 2026 added.

use crate::{model::Connection, protocol::Edition, rule::Severity};

/// Severity of a finding about a requirement of 20 November 2026. `Error` where the user chose that
/// edition or a later one; `before` where an earlier one; else `Warning`, since the sender may be
/// older.
pub(in crate::rules) fn severity(connection: &Connection, before: Severity) -> Severity {
    match connection.pinned_edition() {
        None => Severity::Warning,
        Some(edition) if edition >= Edition::LateNovember2026 => Severity::Error,
        Some(_) => before,
    }
}
