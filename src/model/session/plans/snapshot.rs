//! A plan as one update has it. In goes an update; out comes a [`PlanSnapshot`], with defaults for
//! what is malformed.

use std::borrow::Cow;

use crate::{
    event::Update,
    json::{Node, Text},
    model::{
        anchor::Anchor,
        session::plans::{
            vocabulary::{EntryStatus, Priority},
            wording,
        },
    },
    protocol::Edition,
};

/// The plan that one `plan` or `plan_update` asks the client to show.
#[derive(Clone, Debug)]
pub struct PlanSnapshot<'t> {
    /// The update object of the message, `params.update`.
    pub body: Node<'t>,
    /// The object that holds the plan: the update itself for the plan without an id, else its
    /// member `plan`.
    pub plan: Node<'t>,
    /// The `entries` of the plan, of any type; `None` when absent.
    list: Option<Node<'t>>,
    /// Whether the snapshot has all entries of the list. Of very many malformed ones, only the
    /// first thousand are kept.
    pub(super) is_whole: bool,
    pub key: PlanKey<'t>,
    pub form: PlanBody<'t>,
}

/// Which plan of the session an update is about: the one with this id, or the one without.
#[derive(Clone, Copy, Debug)]
pub enum PlanKey<'t> {
    /// The plan without an id, which version 1's `plan` updates.
    Unnamed,
    /// A plan with an id. `member` is the member that has it: `planId` or, where that is absent,
    /// its predecessor `id`.
    Named { id: Text<'t>, member: &'static str },
    /// A `plan_update` whose plan has no id that is a string.
    Missing,
}

/// The content of a plan in an update, by the plan's `type`.
#[derive(Clone, Debug)]
pub enum PlanBody<'t> {
    Items(Vec<PlanEntry<'t>>),
    Markdown(Option<Node<'t>>),
    File(Option<Node<'t>>),
    /// A plan with another `type`, or none; the value is that of `type`.
    Other(Option<Node<'t>>),
}

/// One element of a plan with entries in an update. Members that are absent or no strings are
/// `None`.
#[derive(Clone, Debug)]
pub struct PlanEntry<'t> {
    pub node: Node<'t>,
    pub content: Option<Text<'t>>,
    pub priority: Option<Text<'t>>,
    pub status: Option<Text<'t>>,
    pub meta: Option<Node<'t>>,
    /// Whether the entry has members beside `content`, `priority`, `status` and `_meta`.
    pub has_others: bool,
    words: (Priority, EntryStatus),
    /// The entry's text with white space folded; `None` where `content` is not a string.
    wording: Option<Cow<'t, str>>,
}

impl<'t> PlanSnapshot<'t> {
    /// The plan in a `plan` or `plan_update`; `None` for other updates, and for a `plan_update`
    /// without a `plan` object. The edition decides which members name a plan.
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

    /// The entries of a plan with entries, without those left out of a very long malformed list;
    /// empty for other plans.
    pub fn entries(&self) -> &[PlanEntry<'t>] {
        match &self.form {
            PlanBody::Items(entries) => entries,
            PlanBody::Markdown(_) | PlanBody::File(_) | PlanBody::Other(_) => &[],
        }
    }

    /// The `entries` of a plan with entries, of any type; `None` when absent, and for other plans.
    pub fn list(&self) -> Option<Node<'t>> {
        self.list.filter(|_| matches!(self.form, PlanBody::Items(_)))
    }

    /// Place of the `entries`, so that a finding can point at it; of the plan when it has none.
    pub(super) fn list_place(&self) -> Anchor {
        let pointer = match self.key {
            PlanKey::Unnamed => &"/params/update/entries",
            PlanKey::Named { .. } | PlanKey::Missing => &"/params/update/plan/entries",
        };
        self.list().map_or_else(|| self.place(), |list| Anchor::of(list, pointer))
    }

    /// Place of the object that holds the plan, so that a finding can point at it.
    pub(super) fn place(&self) -> Anchor {
        let pointer = match self.key {
            PlanKey::Unnamed => &"/params/update",
            PlanKey::Named { .. } | PlanKey::Missing => &"/params/update/plan",
        };
        Anchor::of(self.plan, pointer)
    }
}

/// The entries of a list. Of entries that lack a required member, only the first thousand are kept,
/// since there may be millions; `is_whole` becomes `false` when one is left out.
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
            wording: content.map(wording::folded),
        }
    }

    /// The entry's text with white space folded; `None` when `content` is not a string.
    pub fn wording(&self) -> Option<&str> {
        self.wording.as_deref()
    }

    /// Whether the entry's folded text equals the text as JSON has it: no white space to fold, and
    /// no escape sequences.
    pub(super) fn is_folded(&self) -> bool {
        !matches!(self.wording, Some(Cow::Owned(_)))
    }

    pub fn status(&self) -> &EntryStatus {
        &self.words.1
    }

    pub fn priority(&self) -> &Priority {
        &self.words.0
    }

    /// Whether both versions of the protocol define the entry's status and priority. Absent ones
    /// count as defined.
    pub fn has_common_words(&self) -> bool {
        let (priority, status) = &self.words;
        !matches!(priority, Priority::Other(_))
            && !matches!(status, EntryStatus::Other(_) | EntryStatus::Cancelled)
    }

    /// Whether the entry has all required members, as strings.
    pub fn is_complete(&self) -> bool {
        self.content.is_some() && self.priority.is_some() && self.status.is_some()
    }
}

impl PlanKey<'_> {
    /// The id of the plan; `None` for the plan without one, and for a missing id.
    pub fn id(&self) -> Option<Text<'_>> {
        match self {
            Self::Named { id, .. } => Some(*id),
            Self::Unnamed | Self::Missing => None,
        }
    }
}
