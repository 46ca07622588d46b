//! Reads the capability for plan operations, which clients advertise on version 1.

use crate::{
    json::Kind,
    model::{Capabilities, Connection},
    protocol::Edition,
};

/// Names of the client capability for plan operations in all editions, the current one first.
pub(super) const NAMES: [&str; 2] = ["plan", "planCapabilities"];

/// Names of the client capability that count as advertising plan operations: that of the edition
/// which the user chose, or all of `NAMES` without such a choice.
fn accepted(connection: &Connection) -> &'static [&'static str] {
    match connection.pinned_edition().map(Edition::plan_capability) {
        None => &NAMES,
        Some("plan") => &NAMES[..1],
        Some(_) => &NAMES[1..],
    }
}

/// Whether the capabilities advertise plan operations under this name. Only an object advertises
/// them.
pub(super) fn has(capabilities: &Capabilities, name: &str) -> bool {
    capabilities.get(name).is_some_and(|found| found.kind() == Kind::Object)
}

/// Whether the client accepts plan operations; `None` when its capabilities are not on record or
/// malformed, since an agent may believe a malformed one.
pub(super) fn takes_operations(connection: &Connection) -> Option<bool> {
    let capabilities = connection.client_capabilities()?;
    let names = accepted(connection);
    if names.iter().any(|name| has(capabilities, name)) {
        return Some(true);
    }
    names.iter().all(|name| capabilities.lacks(name)).then_some(false)
}
