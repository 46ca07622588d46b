//! A plan as one update has it. In goes an update; out comes a [`PlanSnapshot`], with defaults for
//! what is malformed.

use std::borrow::Cow;

use crate::{
    event::Update,
    json::{Node, Text},
    model::{
        anchor::{Anchor, Pointer},
        session::plans::{
            entry_key::EntryKey,
            vocabulary::{EntryStatus, Priority},
        },
    },
    protocol::Edition,
};

/// The plan that one update asks the client to show.
#[derive(Clone, Debug)]
pub struct PlanSnapshot<'t> {
    /// The update object.
    pub body: Node<'t>,
    /// The object that holds the plan: `update` itself for the unnamed plan, else `update.plan`.
    pub plan: Node<'t>,
    /// Its `entries`.
    list: Option<Node<'t>>,
    /// Whether it has all entries of the list, not only those that [`entries`] keeps.
    pub(super) is_whole: bool,
    pub key: PlanKey<'t>,
    pub form: PlanBody<'t>,
}

/// Which plan an update is about.
#[derive(Clone, Copy, Debug)]
pub enum PlanKey<'t> {
    /// The one plan without an id, from version 1's `plan`.
    Unnamed,
    /// `planId` or, where that is absent, its predecessor `id`.
    Named { id: Text<'t>, member: &'static str },
    /// A named plan whose id is absent or no string.
    Missing,
}

/// What a plan consists of.
#[derive(Clone, Debug)]
pub enum PlanBody<'t> {
    Items(Vec<PlanEntry<'t>>),
    Markdown(Option<Node<'t>>),
    File(Option<Node<'t>>),
    /// A plan whose `type` is another one or is absent. The value is that of `type`.
    Other(Option<Node<'t>>),
}

/// One element of an item plan; malformed members are `None` or `Absent`.
#[derive(Clone, Debug)]
pub struct PlanEntry<'t> {
    pub node: Node<'t>,
    pub content: Option<Text<'t>>,
    pub priority: Option<Text<'t>>,
    pub status: Option<Text<'t>>,
    pub meta: Option<Node<'t>>,
    /// Whether it has members beside these.
    pub has_others: bool,
    words: (Priority, EntryStatus),
    /// What tells whether two entries have the same text; `None` where `content` is not a string.
    pub(super) name: Option<EntryKey<'t>>,
}

impl<'t> PlanSnapshot<'t> {
    /// The snapshot in a `plan` or `plan_update`; `None` for other updates and for a `plan_update`
    /// without a `plan` object.
    pub fn of(update: &Update<'t>, edition: Edition) -> Option<Self> {
        let body = update.update;
        let mut is_whole = true;
        let mut items = |list: Option<Node<'t>>| PlanBody::Items(entries(list, &mut is_whole));
        if update.kind == "plan" {
            let list = body.get("entries");
            let (key, form) = (PlanKey::Unnamed, items(list));
            return Some(Self { body, plan: body, list, is_whole, key, form });
        }
        if update.kind != "plan_update" {
            return None;
        }
        let plan = body.get("plan").filter(|plan| plan.is_object())?;
        let named = |member| Some(PlanKey::Named { id: plan.get(member)?.text()?, member });
        let key = edition.plan_ids().into_iter().find_map(named).unwrap_or(PlanKey::Missing);
        let (kind, list) = (plan.get("type"), plan.get("entries"));
        let form = match kind.and_then(Node::text) {
            Some(kind) if kind == "items" => items(list),
            Some(kind) if kind == "markdown" => PlanBody::Markdown(plan.get("content")),
            Some(kind) if kind == "file" => PlanBody::File(plan.get("uri")),
            _ => PlanBody::Other(kind),
        };
        Some(Self { body, plan, list, is_whole, key, form })
    }

    /// The entries of an item plan; none for other plans.
    pub fn entries(&self) -> &[PlanEntry<'t>] {
        match &self.form {
            PlanBody::Items(entries) => entries,
            PlanBody::Markdown(_) | PlanBody::File(_) | PlanBody::Other(_) => &[],
        }
    }

    /// Where the list of an item plan stands.
    pub fn list(&self) -> Option<Node<'t>> {
        self.list.filter(|_| matches!(self.form, PlanBody::Items(_)))
    }

    /// The anchor of the list; of the plan when there is none.
    pub(super) fn list_place(&self) -> Anchor {
        let pointer = match self.key {
            PlanKey::Unnamed => Pointer::ParamsUpdateEntries,
            PlanKey::Named { .. } | PlanKey::Missing => Pointer::ParamsUpdatePlanEntries,
        };
        self.list().map_or_else(|| self.place(), |list| Anchor::of(list, pointer))
    }

    /// The anchor of the plan.
    pub(super) fn place(&self) -> Anchor {
        let pointer = match self.key {
            PlanKey::Unnamed => Pointer::ParamsUpdate,
            PlanKey::Named { .. } | PlanKey::Missing => Pointer::ParamsUpdatePlan,
        };
        Anchor::of(self.plan, pointer)
    }
}

/// The entries of a list. Of those that lack a required member, only the first thousand: there may be
/// millions, since they may be as short as `1`, and they tell nothing new. `is_whole` becomes `false`
/// when one is left out.
fn entries<'t>(list: Option<Node<'t>>, is_whole: &mut bool) -> Vec<PlanEntry<'t>> {
    const INCOMPLETE: usize = 1000;
    let mut incomplete = 0;
    let entries = list.into_iter().flat_map(Node::elements).map(PlanEntry::of);
    let entries = entries.filter(|entry| {
        incomplete += usize::from(!entry.is_complete());
        let is_kept = entry.is_complete() || incomplete <= INCOMPLETE;
        *is_whole &= is_kept;
        is_kept
    });
    entries.collect()
}

impl<'t> PlanEntry<'t> {
    fn of(node: Node<'t>) -> Self {
        let (mut content, mut priority, mut status, mut meta) = (None, None, None, None);
        let mut has_others = false;
        for (name, value) in node.members() {
            match name {
                _ if name.is("content") => content = value.text(),
                _ if name.is("priority") => priority = value.text(),
                _ if name.is("status") => status = value.text(),
                _ if name.is("_meta") => meta = Some(value),
                _ => has_others = true,
            }
        }
        Self {
            node,
            content,
            priority,
            status,
            meta,
            has_others,
            words: (Priority::of(priority), EntryStatus::of(status)),
            name: content.map(EntryKey::folded),
        }
    }

    /// Its text with white space folded; `None` without a text.
    pub fn wording(&self) -> Option<&str> {
        Some(&self.name.as_ref()?.text)
    }

    /// Whether folding does not change its text.
    pub(super) fn is_folded(&self) -> bool {
        self.name.as_ref().is_none_or(|name| matches!(name.text, Cow::Borrowed(_)))
    }

    /// A hash of its folded text, which differs in each run of the program; `None` without a text.
    pub fn gist(&self) -> Option<u64> {
        Some(self.name.as_ref()?.hash)
    }

    pub fn status(&self) -> &EntryStatus {
        &self.words.1
    }

    pub fn priority(&self) -> &Priority {
        &self.words.0
    }

    /// Whether both versions of the protocol define its status and its priority. An absent priority
    /// counts as defined.
    pub fn has_common_words(&self) -> bool {
        let (priority, status) = &self.words;
        !matches!(priority, Priority::Other(_))
            && !matches!(status, EntryStatus::Other(_) | EntryStatus::Cancelled)
    }

    /// Whether it has all required members.
    pub fn is_complete(&self) -> bool {
        self.content.is_some() && self.priority.is_some() && self.status.is_some()
    }
}

impl PlanKey<'_> {
    /// The id of a named plan; `None` for the unnamed one and for a missing id.
    pub fn id(&self) -> Option<Text<'_>> {
        match self {
            Self::Named { id, .. } => Some(*id),
            Self::Unnamed | Self::Missing => None,
        }
    }
}
