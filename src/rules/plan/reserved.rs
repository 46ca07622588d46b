//! Checks the values of plans that the protocol reserves for later versions.

use crate::{
    json::Text,
    model::{Connection, PlanUpdated},
    rule::{Finding, Verdict},
    rules::{
        plan::{
            naming::shortened,
            values::{self, Member},
        },
        schema::wording::either,
    },
};

/// Checks that `member` of the entries of a plan has no reserved values, on version 2.
pub(super) fn check(
    updated: &PlanUpdated<'_>,
    connection: &Connection,
    member: Member,
) -> Option<Verdict> {
    let mut entries = updated.snapshot.entries().iter();
    entries.find(|entry| !(member.is_defined)(entry))?;
    values::judged(updated, connection, &[member], |value, member| {
        values::is_reserved(value, member.defined)
            .then(|| finding(value, member.name, member.defined, connection))
    })
}

/// The finding for a value of `member` that is neither in `defined` nor custom.
pub(super) fn finding(
    value: Text<'_>,
    member: &str,
    defined: &[&'static str],
    connection: &Connection,
) -> Finding {
    let meant = values::meant(&value.as_cow(), defined)
        .map(|meant| format!("did you mean `{meant}`? "))
        .unwrap_or_default();
    let edition = connection.edition();
    let text = shortened(&value.as_cow());
    Finding::new(format!("unknown plan {member} `{text}`: custom ones start with `_`"))
        .at(value, format!("expected {}, or a name that starts with `_`", either(defined)))
        .help(format!(
            "{meant}if this {member} is custom, write `_{text}`; if it is newer than edition \
             {edition}, acpcheck does not know it yet"
        ))
        .explains(value.node())
}
