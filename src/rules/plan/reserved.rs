//! The finding for values of plans that the protocol reserves for later versions.

use crate::{
    json::Text,
    model::Connection,
    rule::Finding,
    rules::{
        plan::{naming::shortened, values},
        schema::wording::either,
    },
};

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
    Finding::new(format!("the plan {member} `{text}` is neither defined nor custom"))
        .at(value, format!("expected {}, or a name with an underscore", either(defined)))
        .help(format!(
            "{meant}a {member} of your own begins with an underscore: `_{text}`; if a revision \
             after {edition} defines it, this tool does not know yet"
        ))
        .explains(value.node())
}
