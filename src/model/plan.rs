//! The plans that a conforming client shows.
//!
//! Every update replaces the whole plan it names. Version 1's `plan` has no id and is one unnamed
//! plan of its session; `plan_update` and `plan_removed` speak of named ones, and neither says
//! anything about the other.
//!
//! ```text
//!            update              removal
//! (unknown) ────────▶  Shown  ─────────────▶ Removed
//!                      ▲   │ update             │ update
//!                      └───┴────────────────────┘
//! ```

use std::collections::HashMap;

use crate::{
    event::{PlanRemoved, PlanUpdated, Update},
    json::{Node, Text},
    model::Place,
    protocol::Edition,
};

/// What one update says that the client is to show.
#[derive(Clone, Debug)]
pub struct Snapshot<'t> {
    /// The object that holds the plan: `update` itself for the unnamed plan, else `update.plan`.
    pub plan: Node<'t>,
    pub key: Key<'t>,
    pub form: Form<'t>,
}

/// Which plan an update is about.
#[derive(Clone, Copy, Debug)]
pub enum Key<'t> {
    /// The one plan without an id, from version 1's `plan`.
    Unnamed,
    /// `planId` or, where that is absent, its predecessor `id`.
    Named { id: Text<'t>, member: &'static str },
    /// A named plan whose id is absent or no string.
    Missing,
}

/// What a plan consists of.
#[derive(Clone, Debug)]
pub enum Form<'t> {
    Items(Vec<Entry<'t>>),
    Markdown(Option<Node<'t>>),
    File(Option<Node<'t>>),
    /// Any other `type`, or none.
    Other(Option<Node<'t>>),
}

/// One element of an item plan, as tolerant as it comes.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'t> {
    pub node: Node<'t>,
    pub content: Option<Text<'t>>,
    pub priority: Option<Text<'t>>,
    pub status: Option<Text<'t>>,
}

impl<'t> Snapshot<'t> {
    /// The snapshot in a `plan` or `plan_update`; `None` for other updates and for a `plan_update`
    /// without a `plan` object.
    pub fn of(update: &Update<'t>, _edition: Edition) -> Option<Self> {
        let body = update.update;
        if update.kind == "plan" {
            let form = Form::Items(entries(body.get("entries")));
            return Some(Self { plan: body, key: Key::Unnamed, form });
        }
        if update.kind != "plan_update" {
            return None;
        }
        let plan = body.get("plan").filter(|plan| plan.is_object())?;
        let named = |member| Some(Key::Named { id: plan.get(member)?.text()?, member });
        let key = named("planId").or_else(|| named("id")).unwrap_or(Key::Missing);
        let kind = plan.get("type");
        let form = match kind.and_then(Node::text) {
            Some(kind) if kind == "items" => Form::Items(entries(plan.get("entries"))),
            Some(kind) if kind == "markdown" => Form::Markdown(plan.get("content")),
            Some(kind) if kind == "file" => Form::File(plan.get("uri")),
            _ => Form::Other(kind),
        };
        Some(Self { plan, key, form })
    }
}

fn entries(list: Option<Node<'_>>) -> Vec<Entry<'_>> {
    list.into_iter()
        .flat_map(Node::elements)
        .map(|node| Entry {
            node,
            content: node.get("content").and_then(Node::text),
            priority: node.get("priority").and_then(Node::text),
            status: node.get("status").and_then(Node::text),
        })
        .collect()
}

/// The plans of one session.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    named: HashMap<Box<str>, Plan>,
}

/// A named plan.
#[derive(Clone, Debug)]
pub enum Plan {
    Shown { at: Place },
    Removed { at: Place },
}

impl Plans {
    /// The named plan, if any message has spoken of it.
    pub fn get(&self, id: Text<'_>) -> Option<&Plan> {
        self.named.get(&*id.as_cow())
    }

    /// The past is unknown from here on: plans may exist from before.
    pub(super) fn forget(&mut self) {}

    pub(super) fn apply(&mut self, _updated: &PlanUpdated<'_>, _turn: u32, _baseline: bool) {}

    pub(super) fn remove(&mut self, _removed: &PlanRemoved<'_>) {}
}

/// Which spellings of the plan id a connection has used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spellings {
    /// The first `planId`.
    pub current: Option<Place>,
    /// The first `id`.
    pub legacy: Option<Place>,
}

impl Spellings {
    pub(super) fn apply(&mut self, snapshot: &Snapshot<'_>) {
        let plan = snapshot.plan;
        match snapshot.key {
            Key::Named { member: "planId", .. } => {
                note(&mut self.current, plan, "planId", "/params/update/plan/planId");
            }
            Key::Named { .. } => note(&mut self.legacy, plan, "id", "/params/update/plan/id"),
            Key::Unnamed | Key::Missing => {}
        }
    }

    pub(super) fn apply_removed(&mut self, removed: &PlanRemoved<'_>) {
        let update = removed.update.update;
        let has = |member| update.get(member).is_some_and(Node::is_string);
        if has("planId") {
            note(&mut self.current, update, "planId", "/params/update/planId");
        } else if has("id") {
            note(&mut self.legacy, update, "id", "/params/update/id");
        }
    }
}

/// Remembers where a spelling is used first.
fn note(first: &mut Option<Place>, holder: Node<'_>, member: &str, pointer: &'static str) {
    if first.is_none() {
        *first = holder.name_of(member).map(|name| Place::of(name, pointer));
    }
}
