//! The values of `priority`, `status` and `type` in plans: which are defined, reserved or custom,
//! and what a sender probably meant.

use std::hash::Hash;

use crate::{
    json::Text,
    model::{
        Connection, PlanUpdated,
        session::plans::{EntryStatus, PlanEntry, Priority},
    },
    protocol::{
        Side, Surface, Version,
        schema::{self, Protocol},
    },
    rule::{Finding, Verdict},
    rules::surface::newer_than_known::advertised,
};

/// A member of plan entries that has a set of defined values: `priority` or `status`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    /// Reads the member from an entry of a plan; `None` where it is missing or not a string.
    of: for<'t> fn(&PlanEntry<'t>) -> Option<Text<'t>>,
    pub(super) defined: &'static [&'static str],
    /// Whether the value of an entry is one of `defined`, or missing.
    pub(super) is_defined: fn(&PlanEntry<'_>) -> bool,
}

pub(super) const PRIORITY: Member = Member {
    name: "priority",
    of: |entry| entry.priority,
    defined: &["high", "medium", "low"],
    is_defined: |entry| !matches!(entry.priority(), Priority::Other(_)),
};
pub(super) const STATUS: Member = Member {
    name: "status",
    of: |entry| entry.status,
    defined: &["pending", "in_progress", "completed", "cancelled"],
    is_defined: |entry| !matches!(entry.status(), EntryStatus::Other(_)),
};
/// The member `status` with the values of version 1.
pub(super) const OLD_STATUS: Member = Member {
    defined: &["pending", "in_progress", "completed"],
    is_defined: |entry| !matches!(entry.status(), EntryStatus::Other(_) | EntryStatus::Cancelled),
    ..STATUS
};

/// Types of plans that the connection's edition defines.
pub(super) fn types(connection: &Connection) -> Vec<&'static str> {
    let version = connection.version().unwrap_or(Version::V2);
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let union = protocol.definition("PlanUpdateContent");
    union.into_iter().flat_map(|union| union.tags("type")).collect()
}

/// Words that agents write in place of a status, each with the status that is meant.
const MEANT: [(&str, &str); 16] = [
    ("active", "in_progress"),
    ("canceled", "cancelled"),
    ("complete", "completed"),
    ("current", "in_progress"),
    ("doing", "in_progress"),
    ("done", "completed"),
    ("finished", "completed"),
    ("new", "pending"),
    ("not_started", "pending"),
    ("open", "pending"),
    ("running", "in_progress"),
    ("skipped", "cancelled"),
    ("started", "in_progress"),
    ("success", "completed"),
    ("todo", "pending"),
    ("waiting", "pending"),
];

/// Checks the values of these members in all entries of a plan. `finding` makes a finding of an
/// undefined value. `None` for plans without entries.
pub(super) fn judged(
    updated: &PlanUpdated<'_>,
    connection: &Connection,
    members: &[Member],
    finding: impl Fn(Text<'_>, &Member) -> Option<Finding>,
) -> Option<Verdict> {
    let mut findings = Vec::new();
    let entries = updated.snapshot.entries();
    entries.first()?;
    if entries.iter().all(PlanEntry::has_common_words) {
        return Some(Verdict::Pass);
    }
    for (place, entry) in entries.iter().enumerate() {
        for member in members.iter().filter(|member| !(member.is_defined)(entry)) {
            let Some(value) = (member.of)(entry) else { continue };
            if is_newer(value, member, connection) {
                continue;
            }
            if let Some(found) = finding(value, member) {
                findings.push(found.once_per(key(updated, place, entry, member.name)));
            }
        }
        if findings.len() >= Verdict::MOST {
            break;
        }
    }
    Some(Verdict::from_iter(findings))
}

/// Whether a value may be newer than the built-in schemas: a schema of the user defines it, or
/// `surface/newer-than-known` reports it.
fn is_newer(value: Text<'_>, member: &Member, connection: &Connection) -> bool {
    let value = value.as_cow();
    let version = connection.version().unwrap_or(Version::V2);
    let is_supplied = || {
        let protocol = Protocol::of(Surface::unstable(version), connection.edition());
        let name = if member.name == "status" { "PlanEntryStatus" } else { "PlanEntryPriority" };
        protocol.definition(name).is_some_and(|it| it.lists(&value))
    };
    schema::supplied_hash().is_some() && is_supplied()
        || !value.starts_with('_')
            && schema::nearest(&value, member.defined.iter().copied()).is_none()
            && advertised(&value, Side::Client, connection).is_some()
}

/// Key of findings about a value of an entry: a list is sent many times, but each fault is reported
/// once.
fn key<'t>(
    updated: &PlanUpdated<'t>,
    place: usize,
    entry: &PlanEntry<'t>,
    member: &'t str,
) -> impl Hash + use<'t> {
    let value = |member| entry.node.get(member);
    (updated.session_id, place, member, value("content"), value(member))
}

/// The defined value that the sender probably meant; `None` when none is similar.
pub(super) fn meant(value: &str, defined: &[&'static str]) -> Option<&'static str> {
    let value = value.to_ascii_lowercase();
    let value = value.trim_start_matches('_');
    let synonym = MEANT.iter().find(|(other, _)| *other == value).map(|(_, meant)| *meant);
    synonym
        .filter(|meant| defined.contains(meant))
        .or_else(|| schema::nearest(value, defined.iter().copied()))
}

/// Whether a value is reserved on version 2 for later versions: neither defined nor custom.
pub(super) fn is_reserved(value: Text<'_>, defined: &[&str]) -> bool {
    !value.starts_with("_") && !defined.iter().any(|defined| value == *defined)
}
