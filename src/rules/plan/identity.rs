//! Reads the id of a plan, whose name differs between editions.

use crate::{
    event::Update,
    json::{Node, Text},
    model::Connection,
};

/// The session updates that name a plan by its id. On version 1 an agent may send them only to a client
/// that advertised `plan`.
pub(super) const OPERATIONS: &[&str] = &["plan_update", "plan_removed"];

/// The object of such an update that has the id; `None` for a `plan_update` without a plan.
pub(super) fn holder<'t>(update: &Update<'t>) -> Option<Node<'t>> {
    if update.kind == "plan_removed" {
        return Some(update.update);
    }
    update.update.get("plan").filter(|plan| plan.is_object())
}

/// The id under any name that the edition of the connection accepts.
pub(super) fn id<'t>(holder: Node<'t>, connection: &Connection) -> Option<Text<'t>> {
    connection.edition().plan_ids().into_iter().find_map(|name| holder.get(name)?.text())
}
