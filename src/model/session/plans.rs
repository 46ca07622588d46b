//! The plans that a conforming client shows.
//!
//! Every update replaces the whole plan it names. Version 1's `plan` has no id and is one unnamed
//! plan of its session; `plan_update` and `plan_removed` speak of named ones, and neither says
//! anything about the other.
//!
//! ```text
//!            update              removal
//! (unknown) ────────▶  Shown  ─────────────▶ Removed
//!     │                ▲   │ update             │ │ ▲
//!     │                └───┴────────────────────┘ └─┘ removal
//!     └──────────────────── removal ──────────────▲
//! ```

use crate::{
    event::PlanRemoved,
    json::{Node, Text},
    map::{Map, Set},
    model::{anchor::Anchor, session::on_demand, story::shelf::LastPlan},
    protocol::Version,
};

mod compare;
mod content;
mod diff;
mod entry_table;
mod identity;
mod item_list;
mod other_hops;
pub mod patch;
mod snapshot;
mod spelling;
mod suspicion;
pub(super) mod task_lists;
pub mod updated;
mod vocabulary;
mod wording;

pub use content::{Content, MarkdownText};
pub use diff::{Diff, ListExtent};
pub use item_list::{Item, ItemList};
pub use other_hops::{OtherHop, OtherHops};
pub use snapshot::{PlanBody, PlanEntry, PlanKey, PlanSnapshot};
pub use spelling::Spellings;
pub use suspicion::{Suspicion, SuspicionKind};
use task_lists::TaskLists;
pub use updated::PlanUpdated;
pub use vocabulary::{EntryStatus, Priority, is_kept};

/// The plans of one session as a conforming client shows them, and what rules suspect of agents
/// that send parts of a plan instead of the whole.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    unnamed: Option<Plan>,
    named: Map<Box<str>, Plan>,
    /// Plan updates that may have left out entries that still exist, as long as later updates may
    /// prove that; at most 256.
    suspicions: Vec<Suspicion>,
    /// Number of the last turn with plan updates, and the ids of the plans that it has updated.
    touched: (u32, Set<Box<str>>),
    renaming: Renaming,
    /// Plans that the client showed when the session was loaded or resumed, and that a replay shows
    /// again.
    forgotten: Vec<Forgotten>,
    renewed: Renewal,
    pub tasks: TaskLists,
}

/// Numbers of the first turn whose entries a plan of a later turn may continue; 0 for any.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::model) struct Renewal {
    /// As the client's commands have it.
    ordered: u32,
    /// As the agent's word has it, too.
    told: u32,
}

/// A plan of a session that a message has named: shown by the client, or removed.
#[derive(Clone, Debug)]
pub struct Plan {
    pub state: PlanState,
    /// Whether the plan's list has continued under another id since the plan's last update.
    is_renamed: bool,
}

/// Whether the client shows a plan after the last update, and with what content.
#[derive(Clone, Debug)]
pub enum PlanState {
    /// The last update made the client show the plan.
    Shown {
        /// Place of the update that first showed the plan, or showed it again after it was removed.
        since: Anchor,
        /// Place of the object that holds the plan in its last update, so that a finding can point
        /// at it.
        updated: Anchor,
        /// Number of the turn in which the plan was updated last.
        turn: u32,
        content: Content,
    },
    /// The agent has removed the plan, and no update has shown it since.
    Removed {
        /// Place of the first message that removed the plan since it was last shown.
        at: Anchor,
        /// Whether any update on record had shown the plan before it was removed.
        was_shown: bool,
    },
}

/// A plan that the client showed when it asked to load or resume the session, so that a replay has
/// to show it again.
#[derive(Clone, Debug)]
pub struct Forgotten {
    /// The plan's id; `None` for the plan of version 1, which has none.
    pub id: Option<Box<str>>,
    pub at: Anchor,
}

impl Plan {
    /// What the client shows of the plan; `None` when the plan was removed.
    pub fn content(&self) -> Option<&Content> {
        match &self.state {
            PlanState::Shown { content, .. } => Some(content),
            PlanState::Removed { .. } => None,
        }
    }

    /// The entries that the client shows; `None` when the plan was removed or is not a plan with
    /// entries.
    pub fn listing(&self) -> Option<&ItemList> {
        match self.content()? {
            Content::Items(listing) => Some(listing),
            Content::Markdown(_) | Content::File(_) | Content::Other(_) => None,
        }
    }

    /// What the client shows of the plan, if its last update was in the turn with this number;
    /// `None` otherwise.
    pub fn content_of(&self, turn: u32) -> Option<&Content> {
        match &self.state {
            PlanState::Shown { content, turn: own, .. } if *own == turn => Some(content),
            PlanState::Shown { .. } | PlanState::Removed { .. } => None,
        }
    }

    /// How many updates of the turn in a row, with this one, have a short text that does not
    /// continue the one before. This suggests that the agent sends a markdown plan in fragments.
    pub fn pieces_with(&self, text: Text<'_>, turn: u32) -> u32 {
        let page = match self.content_of(turn) {
            Some(Content::Markdown(page)) => Some(page),
            _ => None,
        };
        MarkdownText::pieces_with(page, text)
    }

    /// Whether an update on record has ever shown the plan.
    pub fn was_shown(&self) -> bool {
        !matches!(self.state, PlanState::Removed { was_shown: false, .. })
    }

    /// Place of the plan in the last message about it, an update or a removal, so that a finding
    /// can point at it.
    pub fn at(&self) -> Anchor {
        match self.state {
            PlanState::Shown { updated, .. } => updated,
            PlanState::Removed { at, .. } => at,
        }
    }
}

on_demand::empty!(Plans);

impl Plans {
    /// The plan with this id; `None` when no message has named it.
    pub fn get(&self, id: Text<'_>) -> Option<&Plan> {
        self.named.get(&*id.as_cow())
    }

    /// The plan that an update with this key is about; `None` when no earlier message has named it.
    pub fn of(&self, key: PlanKey<'_>) -> Option<&Plan> {
        match key {
            PlanKey::Unnamed => self.unnamed.as_ref(),
            PlanKey::Named { id, .. } => self.get(id),
            PlanKey::Missing => None,
        }
    }

    /// The plan without an id, from version 1's `plan` update; `None` when none was sent.
    pub fn unnamed(&self) -> Option<&Plan> {
        self.unnamed.as_ref()
    }

    /// The plans that have an id, with those that were removed, in no particular order.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Plan)> {
        self.named.iter().map(|(id, plan)| (&**id, plan))
    }

    /// All plans that the client shows, with their ids: the one without an id first, then the
    /// others by the place of their last update. Takes a sort.
    pub fn shown(&self) -> Vec<(Option<&str>, &Plan)> {
        let mut named: Vec<_> = self.named().filter(|(_, plan)| plan.content().is_some()).collect();
        named.sort_by_key(|(_, plan)| plan.at().span());
        let unnamed = self.unnamed.iter().map(|plan| (None, plan));
        unnamed.chain(named.into_iter().map(|(id, plan)| (Some(id), plan))).collect()
    }

    /// The plan without an id, and the shown plans that were updated in the turn with this number,
    /// by the place of their last update.
    pub fn shown_in(&self, turn: u32) -> Vec<&Plan> {
        let mut named: Vec<_> = self.named_in(turn).collect();
        named.retain(|plan| plan.content().is_some());
        named.sort_by_key(|plan| plan.at().span());
        self.unnamed.iter().chain(named).collect()
    }

    /// The plans with an id that the turn with this number has updated, removed ones included, in
    /// no order.
    pub fn named_in(&self, turn: u32) -> impl Iterator<Item = &Plan> {
        let (of, ids) = &self.touched;
        let ids = ids.iter().filter(move |_| *of == turn);
        ids.filter_map(|id| self.named.get(id))
    }

    /// Whether the client shows any plan of the session. Takes a search through all plans.
    pub fn is_any_shown(&self) -> bool {
        self.unnamed.is_some() || self.named.values().any(|plan| plan.content().is_some())
    }

    /// Plan updates that may have left out entries that still exist, in the order in which they
    /// were sent. Later updates can prove or refute that.
    pub fn suspicions(&self) -> &[Suspicion] {
        &self.suspicions
    }

    /// The suspicions (that entries were left out) about a plan which can no longer be proven,
    /// because this update, in turn `turn`, begins the plan anew.
    pub fn settled_by<'a>(
        &'a self,
        updated: &'a PlanUpdated<'_>,
        turn: u32,
    ) -> impl Iterator<Item = &'a Suspicion> {
        self.suspicions.iter().filter(move |suspicion| suspicion.is_settled_by(updated, turn))
    }

    /// Plans that the client showed when it asked to load or resume the session; the client forgets
    /// them then. Empty once that request is answered. The agent's replay has to show the plans
    /// again.
    pub fn forgotten(&self) -> &[Forgotten] {
        &self.forgotten
    }

    /// Whether a message has named the plan again since the session was loaded or resumed.
    pub fn has(&self, forgotten: &Forgotten) -> bool {
        match &forgotten.id {
            Some(id) => self.named.contains_key(id),
            None => self.unnamed.is_some(),
        }
    }

    /// Compares a plan with what the client shows under its key, for the turn with this number;
    /// `None` when the snapshot is not a plan with entries.
    pub fn compare(&self, snapshot: &PlanSnapshot<'_>, turn: u32) -> Option<Diff> {
        let listing = self.of(snapshot.key).and_then(Plan::listing);
        matches!(snapshot.form, PlanBody::Items(_))
            .then(|| Diff::of(snapshot, listing, turn, self.renewed))
    }

    /// How many updates of the turn in a row, with this one, continue one list of entries under a
    /// new plan id each time; 0 for a plan that has no entries, no id or a known id.
    pub fn renamings_with(&self, snapshot: &PlanSnapshot<'_>, turn: u32) -> u32 {
        let PlanKey::Named { id, .. } = snapshot.key else { return 0 };
        if snapshot.entries().is_empty() || self.get(id).is_some() {
            return 0;
        }
        let is_like_last = self.renaming.turn == turn
            && self
                .named
                .get(&self.renaming.last)
                .and_then(Plan::listing)
                .is_some_and(|listing| listing.is_half_of(snapshot.entries()));
        1 + if is_like_last { self.renaming.run } else { 0 }
    }

    /// Whether the plan is an abandoned id of a list of entries whose plan id changes with each
    /// update of this turn.
    pub fn is_left_behind(&self, plan: &Plan, turn: u32) -> bool {
        plan.is_renamed && self.renaming.third_in == turn
    }

    /// The last plan id in a row of updates that continue one list of entries under a new id each
    /// time, and the place of that plan; `None` before the first new id.
    pub fn last_renamed(&self) -> Option<(&str, Anchor)> {
        let (id, plan) = self.named.get_key_value(&self.renaming.last)?;
        Some((id, plan.at()))
    }

    /// The plans that a client shows and that have something to show.
    pub(in crate::model) fn visible(&self) -> Vec<Forgotten> {
        let is_visible = |plan: &Plan| plan.content().is_some_and(|content| !content.is_blank());
        let shown = self.shown().into_iter().filter(|(_, plan)| is_visible(plan));
        shown.map(|(id, plan)| Forgotten { id: id.map(Into::into), at: plan.at() }).collect()
    }

    /// The plan that is shown and was updated last.
    pub(in crate::model) fn last(&self) -> LastPlan {
        let visible = self.visible().into_iter().map(|plan| plan.at);
        match visible.max_by_key(|at| at.span().start) {
            Some(at) => LastPlan::Shown(at),
            None if self.has_any() => LastPlan::Gone,
            None => LastPlan::Unnamed,
        }
    }

    /// Whether a message has named a plan since the session was loaded or resumed.
    pub fn has_any(&self) -> bool {
        self.unnamed.is_some() || !self.named.is_empty()
    }

    /// Forgets all plans, because the session is loaded or resumed: others may exist. When the
    /// history is replayed (`is_replay`), the shown plans are kept as owed to the replay.
    pub(super) fn forget(&mut self, is_replay: bool) {
        self.forgotten = if is_replay { self.visible() } else { Vec::new() };
        self.unnamed = None;
        self.named.clear();
        self.suspicions.clear();
        self.renaming = Renaming::default();
    }

    /// Notes that the plans of this turn and of those before may be given up without a word,
    /// because the user has called a command (`is_ordered`), or the agent says so or that it has
    /// compacted its context.
    pub(super) fn renew(&mut self, turn: u32, is_ordered: bool) {
        self.renewed.told = turn + 1;
        if is_ordered {
            self.renewed.ordered = turn + 1;
        }
    }

    /// Notes that a turn begins, after which no replay can show forgotten plans.
    pub(super) fn begin_turn(&mut self) {
        self.forgotten.clear();
        self.tasks = TaskLists::default();
    }

    pub(super) fn apply(
        &mut self,
        updated: &PlanUpdated<'_>,
        turn: u32,
        is_replayed: bool,
        version: Option<Version>,
    ) {
        let snapshot = &updated.snapshot;
        self.suspicions.retain(|suspicion| !suspicion.is_settled_by(updated, turn));
        if let Some(diff) = &updated.diff {
            self.suspect(snapshot, diff, turn, version);
            self.rename(snapshot, turn, is_replayed);
        }
        let none = Diff::NONE;
        let diff = updated.diff.as_ref().unwrap_or(&none);
        let next = |old: Option<Content>, is_same_turn: bool| -> Content {
            match (&snapshot.form, old) {
                (PlanBody::Items(_), Some(Content::Items(mut listing))) => {
                    // Readers of version 2 refuse a value that is not a list; those of version 1 read
                    // an empty list.
                    let is_list = snapshot.list().is_some_and(Node::is_array);
                    if is_list || version != Some(Version::V2) {
                        listing.replace(snapshot, diff, turn, is_replayed);
                    }
                    Content::Items(listing)
                }
                (PlanBody::Items(_), _) => {
                    Content::Items(Box::new(ItemList::new(snapshot, diff, turn, is_replayed)))
                }
                (PlanBody::Markdown(text), old) => Content::Markdown(MarkdownText::next(
                    text.and_then(Node::text),
                    old,
                    is_same_turn,
                )),
                (PlanBody::File(uri), _) => Content::File(boxed(*uri).unwrap_or_default()),
                (PlanBody::Other(kind), _) => Content::Other(boxed(*kind)),
            }
        };
        let at = snapshot.place();
        match snapshot.key {
            PlanKey::Missing => {}
            PlanKey::Unnamed => match &mut self.unnamed {
                Some(plan) => plan.show(at, turn, next),
                None => self.unnamed = Some(Plan::new(at, turn, next(None, false))),
            },
            PlanKey::Named { id, .. } => {
                let id = id.as_cow();
                if self.touched.0 != turn {
                    self.touched = (turn, Set::default());
                }
                if !self.touched.1.contains(&*id) {
                    self.touched.1.insert((*id).into());
                }
                match self.named.get_mut(&*id) {
                    Some(plan) => plan.show(at, turn, next),
                    None => {
                        self.named.insert((*id).into(), Plan::new(at, turn, next(None, false)));
                    }
                }
            }
        }
    }

    pub(super) fn remove(&mut self, removed: &PlanRemoved<'_>) {
        let Some(id) = removed.plan_id else { return };
        let at = Anchor::of(id, &"/params/update/planId");
        let Some(id) = id.text().map(Text::as_cow) else { return };
        if let Some(plan) = self.named.get_mut(&*id) {
            plan.dismiss(at);
        } else {
            let state = PlanState::Removed { at, was_shown: false };
            self.named.insert((*id).into(), Plan { state, is_renamed: false });
        }
    }

    fn suspect(
        &mut self,
        snapshot: &PlanSnapshot<'_>,
        diff: &Diff,
        turn: u32,
        version: Option<Version>,
    ) {
        let is_own = |suspicion: &Suspicion| suspicion.is_about(snapshot);
        // The first list of a turn may prove what those of the turn before left open.
        if diff.resumed.is_some() {
            self.suspicions.retain(|suspicion| !is_own(suspicion));
            return;
        }
        let listing = self.of(snapshot.key).and_then(Plan::listing);
        let Some(listing) = listing.filter(|_| !diff.is_first) else { return };
        // Before the first prompt on record, turns cannot be told apart on version 1.
        let is_turn = turn > 0 || version == Some(Version::V2);
        if !is_turn || listing.has_resumed() {
            return;
        }
        let Some(suspicion) = Suspicion::of(snapshot, diff, listing, turn) else { return };
        if self.suspicions.len() >= SUSPICIONS {
            return;
        }
        let is_known = self.suspicions.iter().any(|other| {
            is_own(other)
                && other.turn == turn
                && (other.kind == SuspicionKind::Dropped)
                    == (suspicion.kind == SuspicionKind::Dropped)
        });
        if !is_known {
            self.suspicions.push(suspicion);
        }
    }

    fn rename(&mut self, snapshot: &PlanSnapshot<'_>, turn: u32, is_replayed: bool) {
        let PlanKey::Named { id, .. } = snapshot.key else { return };
        let run = if is_replayed { 0 } else { self.renamings_with(snapshot, turn) };
        self.renaming.run = run;
        self.renaming.turn = turn;
        if run > 1
            && let Some(plan) = self.named.get_mut(&self.renaming.last)
        {
            plan.is_renamed = true;
        }
        if run > 2 {
            self.renaming.third_in = turn;
        }
        if run > 0 {
            self.renaming.last = id.to_boxed();
        }
    }
}

impl Plan {
    fn new(at: Anchor, turn: u32, content: Content) -> Self {
        let state = PlanState::Shown { since: at, updated: at, turn, content };
        Self { state, is_renamed: false }
    }

    /// Applies an update that shows the plan. `next` returns the new content from the old one,
    /// which is `None` for a removed plan; its flag says whether the old one is of the same turn.
    fn show(&mut self, at: Anchor, turn: u32, next: impl FnOnce(Option<Content>, bool) -> Content) {
        self.is_renamed = false;
        let removed = PlanState::Removed { at, was_shown: true };
        let (since, content) = match std::mem::replace(&mut self.state, removed) {
            PlanState::Shown { since, content, turn: old, .. } => {
                (since, next(Some(content), old == turn))
            }
            PlanState::Removed { .. } => (at, next(None, false)),
        };
        self.state = PlanState::Shown { since, updated: at, turn, content };
    }

    /// Applies a removal of the plan. A plan that is already removed stays as it is.
    fn dismiss(&mut self, at: Anchor) {
        if matches!(self.state, PlanState::Shown { .. }) {
            self.state = PlanState::Removed { at, was_shown: true };
        }
    }
}

/// Most suspicions about plan updates of one session that are kept; further ones are dropped.
const SUSPICIONS: usize = 256;

/// Notices updates in a row that continue one list of entries under a new plan id each time, as
/// some agents do by mistake.
#[derive(Clone, Debug, Default)]
struct Renaming {
    turn: u32,
    run: u32,
    last: Box<str>,
    /// Number of the last turn in which at least three updates in a row did so.
    third_in: u32,
}

fn boxed(node: Option<Node<'_>>) -> Option<Box<str>> {
    Some(node?.text()?.to_boxed())
}
