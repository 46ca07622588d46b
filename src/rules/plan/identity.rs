//! How messages about plans spell the plan's id.

use crate::{
    event::Update,
    json::{Node, Text},
    model::Connection,
};

/// The updates that speak of a plan by its id.
pub(super) const OPERATIONS: &[&str] = &["plan_update", "plan_removed"];

/// The object of such an update that has to hold the id; `None` for a `plan_update` without one.
pub(super) fn holder<'t>(update: &Update<'t>) -> Option<Node<'t>> {
    if update.kind == "plan_removed" {
        return Some(update.update);
    }
    update.update.get("plan").filter(|plan| plan.is_object())
}

/// The id in either spelling.
pub(super) fn id<'t>(holder: Node<'t>, connection: &Connection) -> Option<Text<'t>> {
    connection.edition().plan_ids().into_iter().find_map(|name| holder.get(name)?.text())
}
