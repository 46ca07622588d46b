//! The report for job summaries.

use super::Compliance;

pub(super) fn write(_: &Compliance) -> String {
    String::new()
}
