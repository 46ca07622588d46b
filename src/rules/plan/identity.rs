//! Reads the id of a plan, whose name differs between editions.

use crate::{
    event::Update,
    json::{Node, Text},
    model::Connection,
};

/// Session updates that name a plan by its id. On version 1, the client must have advertised `plan`
/// for them.
pub(super) const OPERATIONS: &[&str] = &["plan_update", "plan_removed"];

/// The object with the plan's id in a `plan_update` or `plan_removed`; `None` for a `plan_update`
/// without a plan.
pub(super) fn holder<'t>(update: &Update<'t>) -> Option<Node<'t>> {
    if update.kind == "plan_removed" {
        return Some(update.update);
    }
    update.update.get("plan").filter(|plan| plan.is_object())
}

/// The plan's id in an object, under any name that the edition of the connection accepts; `None`
/// without a string.
pub(super) fn id<'t>(holder: Node<'t>, connection: &Connection) -> Option<Text<'t>> {
    connection.edition().plan_ids().into_iter().find_map(|name| holder.get(name)?.text())
}
