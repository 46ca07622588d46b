//! What the client says about plan operations, which version 1 makes it advertise.

use crate::{
    json::Kind,
    model::{Capabilities, Connection},
    protocol::Edition,
};

/// Every name that the capability has had, the current one first.
pub(super) const NAMES: [&str; 2] = ["plan", "planCapabilities"];

/// The names that count: all while no edition is pinned, else the edition's own.
fn accepted(connection: &Connection) -> &'static [&'static str] {
    match connection.pinned_edition().map(Edition::plan_capability) {
        None => &NAMES,
        Some("plan") => &NAMES[..1],
        Some(_) => &NAMES[1..],
    }
}

/// Whether the capability of this name is advertised. Only an object does it: readers take
/// anything else for its absence.
pub(super) fn has(capabilities: &Capabilities, name: &str) -> bool {
    capabilities.get(name).is_some_and(|found| found.kind() == Kind::Object)
}

/// Whether the client takes plan operations; `None` while it has not said anything.
pub(super) fn takes_operations(connection: &Connection) -> Option<bool> {
    let capabilities = connection.client_capabilities()?;
    Some(accepted(connection).iter().any(|name| has(capabilities, name)))
}
