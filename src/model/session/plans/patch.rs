//! Signs that a plan update is a patch, though the protocol asks for the whole list.

use crate::{json::Node, model::session::plans::snapshot::PlanSnapshot};

/// A sign that an update of a plan sends changes (a patch) instead of the whole plan, as the
/// protocol demands.
#[derive(Clone, Copy, Debug)]
pub enum Sign<'t> {
    /// A member of the update or plan says how to patch; the value is the member's name.
    Operation(Node<'t>),
    /// The `entries` are an object, keyed by position or id; the value is that object.
    Keyed(Node<'t>),
    /// An element of `entries` that is null, which suggests that the agent wants to leave this
    /// entry as it is.
    Hole(Node<'t>),
    /// An element of `entries` that says what to do where, with `op` and `path`.
    Step(Node<'t>),
    /// An element of `entries` that names an entry, or its status, without the entry's text.
    Reference(Node<'t>),
}

impl<'t> Sign<'t> {
    /// The JSON value that shows the patch, so that a finding can point at it.
    pub fn node(self) -> Node<'t> {
        match self {
            Self::Operation(node)
            | Self::Keyed(node)
            | Self::Hole(node)
            | Self::Step(node)
            | Self::Reference(node) => node,
        }
    }
}

/// Names of members that say how to change a list or a text, and so show that an update is a patch.
const OPERATIONS: [&str; 14] = [
    "op",
    "ops",
    "operation",
    "operations",
    "patch",
    "patches",
    "delta",
    "deltas",
    "diff",
    "changes",
    "append",
    "partial",
    "merge",
    "upsert",
];

/// Names of members by which an update patches a list of entries, beside `OPERATIONS`.
const OF_LIST: [&str; 10] = [
    "index",
    "entryIndex",
    "entryId",
    "entry_id",
    "planEntryId",
    "stepId",
    "step",
    "added",
    "removed",
    "updated",
];

/// Names of members by which an update patches a text, beside `OPERATIONS`.
const OF_TEXT: [&str; 6] = ["edits", "prepend", "insert", "replace", "range", "offset"];

/// Members of an update or plan whose value may say that it is a patch; `WORDS` has the values.
const MANNERS: [&str; 7] =
    ["action", "kind", "mode", "strategy", "update", "updateMode", "updateType"];

/// Values of the members in `MANNERS` that show a patch.
const WORDS: [&str; 8] =
    ["append", "delta", "diff", "incremental", "merge", "partial", "patch", "upsert"];

/// Members that speak of one entry; in an update without a list they show a patch.
const OF_ONE_ENTRY: [&str; 4] = ["entry", "item", "priority", "status"];

/// Members under which agents put the text of an entry by mistake. An element with one of them is a
/// malformed entry, not a patch.
const OTHER_TEXTS: [&str; 8] =
    ["text", "title", "description", "step", "task", "name", "label", "summary"];

/// The sign that an update of a plan with entries is a patch; `None` without one. `plan` is the
/// object that has the entries: the update itself, or the plan in it.
pub fn of<'t>(update: Node<'t>, plan: Node<'t>) -> Option<Sign<'t>> {
    found(update, plan, |list| list.elements().find_map(element))
}

/// The name of the member by which an update of a markdown plan is a patch; `None` without one.
/// `plan` is the object that has the text: the update itself, or the plan in it.
pub fn of_text<'t>(update: Node<'t>, plan: Node<'t>) -> Option<Node<'t>> {
    let says = |(name, value): &(Node<'_>, Node<'_>)| is_operation(&OF_TEXT, &name.shown(), *value);
    update.members().chain(plan.members()).find(says).map(|(name, _)| name)
}

/// The sign (an odd member) that an update sends changes to the plan's entries instead of the whole
/// list; `None` when nothing suggests that. Entries that have just the protocol's members cannot be
/// a sign.
pub(super) fn of_snapshot<'t>(snapshot: &PlanSnapshot<'t>) -> Option<Sign<'t>> {
    let entries = || snapshot.entries().iter();
    let odd = || entries().filter(|entry| entry.content.is_none() || entry.has_others);
    found(snapshot.body, snapshot.plan, |_| odd().find_map(|entry| element(entry.node)))
}

fn found<'t>(
    update: Node<'t>,
    plan: Node<'t>,
    among: impl FnOnce(Node<'t>) -> Option<Sign<'t>>,
) -> Option<Sign<'t>> {
    let beside = if update.range() == plan.range() { None } else { operation(update) };
    beside.or_else(|| sign(plan, among))
}

/// The name of a member beside the plan in an update that says how to change the plan, as a sign of
/// a patch; `None` without one.
fn operation(update: Node<'_>) -> Option<Sign<'_>> {
    let says = |(name, value): &(Node<'_>, Node<'_>)| is_operation(&OF_LIST, &name.shown(), *value);
    update.members().find(says).map(|(name, _)| Sign::Operation(name))
}

fn sign<'t>(
    holder: Node<'t>,
    among: impl FnOnce(Node<'t>) -> Option<Sign<'t>>,
) -> Option<Sign<'t>> {
    let mut list = None;
    let mut operation = None;
    let mut of_one = None;
    for (name, value) in holder.members() {
        match &*name.shown() {
            "entries" => list = Some(value),
            "sessionUpdate" | "type" | "planId" | "_meta" => {}
            text if is_operation(&OF_LIST, text, value) => {
                operation = operation.or(Some(name));
            }
            text if OF_ONE_ENTRY.contains(&text) => of_one = of_one.or(Some(name)),
            _ => {}
        }
    }
    if let Some(name) = operation {
        return Some(Sign::Operation(name));
    }
    let Some(list) = list.filter(|list| !list.is_null()) else {
        return of_one.map(Sign::Operation);
    };
    if list.is_object() {
        return Some(Sign::Keyed(list));
    }
    among(list)
}

/// Whether a member shows, by its name or value, that the update is a patch. `own` has names that
/// count in addition to `OPERATIONS`.
fn is_operation(own: &[&str], name: &str, value: Node<'_>) -> bool {
    let says_how = || value.text().is_some_and(|value| WORDS.contains(&&*value.as_cow()));
    let is_named = OPERATIONS.contains(&name) || own.contains(&name);
    is_named && says_something(value) || MANNERS.contains(&name) && says_how()
}

/// Whether a value is neither `false` nor null, so that its member is in use.
fn says_something(value: Node<'_>) -> bool {
    value.boolean() != Some(false) && !value.is_null()
}

fn element(node: Node<'_>) -> Option<Sign<'_>> {
    if node.is_null() {
        return Some(Sign::Hole(node));
    }
    let has = |name: &str| node.get(name).is_some();
    if has("content") {
        return (has("op") && has("path")).then_some(Sign::Step(node));
    }
    if has("op") && has("path") {
        return Some(Sign::Step(node));
    }
    let names_entry = ["index", "id", "entryId", "status"].iter().any(|name| has(name));
    let has_text = OTHER_TEXTS.iter().any(|name| node.get(name).is_some_and(Node::is_string));
    (names_entry && !has_text).then_some(Sign::Reference(node))
}
