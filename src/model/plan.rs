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

use rustc_hash::FxHashMap;

use crate::{
    event::{PlanRemoved, PlanUpdated, Update},
    json::{Node, Text},
    model::Place,
    protocol::{Edition, Version},
    rule::Mark,
};

mod identity;
pub mod listing;
pub mod patch;
pub mod word;

pub use listing::{Item, Listing, Relation};
pub use word::{Priority, Status};

/// What one update says that the client is to show.
#[derive(Clone, Debug)]
pub struct Snapshot<'t> {
    /// The update object.
    pub body: Node<'t>,
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
    pub meta: Option<Node<'t>>,
}

impl<'t> Snapshot<'t> {
    /// The snapshot in a `plan` or `plan_update`; `None` for other updates and for a `plan_update`
    /// without a `plan` object.
    pub fn of(update: &Update<'t>, edition: Edition) -> Option<Self> {
        let body = update.update;
        if update.kind == "plan" {
            let form = Form::Items(entries(body.get("entries")));
            return Some(Self { body, plan: body, key: Key::Unnamed, form });
        }
        if update.kind != "plan_update" {
            return None;
        }
        let plan = body.get("plan").filter(|plan| plan.is_object())?;
        let named = |member| Some(Key::Named { id: plan.get(member)?.text()?, member });
        let own = edition.plan_id();
        let other = if own == "id" { "planId" } else { "id" };
        let key = named(own).or_else(|| named(other)).unwrap_or(Key::Missing);
        let kind = plan.get("type");
        let form = match kind.and_then(Node::text) {
            Some(kind) if kind == "items" => Form::Items(entries(plan.get("entries"))),
            Some(kind) if kind == "markdown" => Form::Markdown(plan.get("content")),
            Some(kind) if kind == "file" => Form::File(plan.get("uri")),
            _ => Form::Other(kind),
        };
        Some(Self { body, plan, key, form })
    }

    /// The entries of an item plan; none for other plans.
    pub fn entries(&self) -> &[Entry<'t>] {
        match &self.form {
            Form::Items(entries) => entries,
            Form::Markdown(_) | Form::File(_) | Form::Other(_) => &[],
        }
    }

    /// Where the list of an item plan stands.
    pub fn list(&self) -> Option<Node<'t>> {
        matches!(self.form, Form::Items(_)).then(|| self.plan.get("entries"))?
    }

    /// Where the list stands, to be remembered; the plan where there is none.
    fn list_place(&self) -> Place {
        let pointer = match self.key {
            Key::Unnamed => "/params/update/entries",
            Key::Named { .. } | Key::Missing => "/params/update/plan/entries",
        };
        self.list().map_or_else(|| self.place(), |list| Place::of(list, pointer))
    }

    /// Where the plan stands, to be remembered.
    fn place(&self) -> Place {
        let pointer = match self.key {
            Key::Unnamed => "/params/update",
            Key::Named { .. } | Key::Missing => "/params/update/plan",
        };
        Place::of(self.plan, pointer)
    }
}

fn entries(list: Option<Node<'_>>) -> Vec<Entry<'_>> {
    list.map_or_else(Vec::new, |list| list.elements().map(Entry::of).collect())
}

impl<'t> Entry<'t> {
    fn of(node: Node<'t>) -> Self {
        let mut entry = Self { node, content: None, priority: None, status: None, meta: None };
        for (name, value) in node.members() {
            match name.raw() {
                "\"content\"" => entry.content = value.text(),
                "\"priority\"" => entry.priority = value.text(),
                "\"status\"" => entry.status = value.text(),
                "\"_meta\"" => entry.meta = Some(value),
                _ => {}
            }
        }
        entry
    }

    pub fn status(&self) -> Status {
        Status::of(self.status)
    }

    pub fn priority(&self) -> Priority {
        Priority::of(self.priority)
    }
}

impl Key<'_> {
    /// The id of a named plan; `None` for the unnamed one and for a missing id.
    pub fn id(&self) -> Option<Text<'_>> {
        match self {
            Self::Named { id, .. } => Some(*id),
            Self::Unnamed | Self::Missing => None,
        }
    }
}

/// The plans of one session.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    unnamed: Option<Plan>,
    named: FxHashMap<Box<str>, Plan>,
    /// Lists of the turn that may have left out what still exists.
    doubts: Vec<Doubt>,
    renaming: Renaming,
    /// Plans that were shown when the past became unknown.
    forgotten: Vec<Forgotten>,
}

/// A plan that a message has spoken of.
#[derive(Clone, Debug)]
pub struct Plan {
    pub state: State,
    /// The last removal, also after the plan has come back.
    pub removed: Option<Place>,
}

/// Whether a plan is on display, and since when.
#[derive(Clone, Debug)]
pub enum State {
    /// The client shows it.
    Shown {
        /// The update that brought it up, or back.
        since: Place,
        /// The last update: the object that holds the plan.
        updated: Place,
        /// The turn of the last update.
        turn: u32,
        content: Content,
    },
    /// It was dismissed, and no update has brought it back.
    Removed {
        /// The first removal since it was last shown.
        at: Place,
    },
}

/// What a client shows of a plan.
#[derive(Clone, Debug)]
pub enum Content {
    Items(Box<Listing>),
    Markdown(Page),
    /// The URI.
    File(Box<str>),
    /// A plan of a type that the protocol does not define; `None` without a type.
    Other(Option<Box<str>>),
}

/// The text of a markdown plan.
#[derive(Clone, Debug)]
pub struct Page {
    pub text: Box<str>,
    /// Updates of the turn in a row that are short and do not begin like the one before.
    pieces: u32,
}

/// A plan that was shown when its session was loaded or resumed.
#[derive(Clone, Debug)]
pub struct Forgotten {
    /// `None` for the unnamed plan.
    pub id: Option<Box<str>>,
    pub at: Place,
}

impl Plan {
    /// What the client shows; `None` when the plan was removed.
    pub fn content(&self) -> Option<&Content> {
        match &self.state {
            State::Shown { content, .. } => Some(content),
            State::Removed { .. } => None,
        }
    }

    /// The entries that the client shows; `None` when the plan was removed or is no item plan.
    pub fn listing(&self) -> Option<&Listing> {
        match self.content()? {
            Content::Items(listing) => Some(listing),
            Content::Markdown(_) | Content::File(_) | Content::Other(_) => None,
        }
    }

    /// What the client shows, if it was last updated in this turn.
    pub fn content_of(&self, turn: u32) -> Option<&Content> {
        match &self.state {
            State::Shown { content, turn: own, .. } if *own == turn => Some(content),
            State::Shown { .. } | State::Removed { .. } => None,
        }
    }

    /// How many updates of the turn, with this one, bring a short text that does not begin like
    /// the one before.
    pub fn pieces_with(&self, text: Text<'_>, turn: u32) -> u32 {
        let page = match self.content_of(turn) {
            Some(Content::Markdown(page)) => Some(page),
            _ => None,
        };
        Page::pieces_with(page, text)
    }

    /// Where the last message about it stands: the plan, or its removal.
    pub fn at(&self) -> Place {
        match self.state {
            State::Shown { updated, .. } => updated,
            State::Removed { at } => at,
        }
    }
}

impl Content {
    /// The `type` of such a plan; `None` where it has none.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Items(_) => Some("items"),
            Self::Markdown(_) => Some("markdown"),
            Self::File(_) => Some("file"),
            Self::Other(kind) => kind.as_deref(),
        }
    }

    /// Whether there is nothing to see.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Items(listing) => listing.items().is_empty(),
            Self::Markdown(page) => page.text.trim().is_empty(),
            Self::File(uri) => uri.is_empty(),
            Self::Other(_) => false,
        }
    }
}

impl Page {
    /// Characters that a piece has at most.
    const SHORT: usize = 40;

    /// How many pieces there are in a row when `text` comes next, after a page of the same turn if
    /// any.
    fn pieces_with(before: Option<&Self>, text: Text<'_>) -> u32 {
        if text.len_chars() >= Self::SHORT {
            return 0;
        }
        let goes_on = |page: &&Self| page.pieces == 0 || !text.starts_with(&page.text);
        1 + before.filter(goes_on).map_or(0, |page| page.pieces)
    }

    /// The next page; keeps the text where it is the same.
    fn next(text: Option<Text<'_>>, old: Option<Content>, is_same_turn: bool) -> Self {
        let old = match old {
            Some(Content::Markdown(page)) => Some(page),
            _ => None,
        };
        let Some(text) = text else { return Self { text: Box::default(), pieces: 0 } };
        let pieces = Self::pieces_with(old.as_ref().filter(|_| is_same_turn), text);
        match old {
            Some(page) if text == *page.text => Self { pieces, ..page },
            _ => Self { text: text.to_boxed(), pieces },
        }
    }
}

impl Plans {
    /// The named plan, if any message has spoken of it.
    pub fn get(&self, id: Text<'_>) -> Option<&Plan> {
        self.named.get(&*id.as_cow())
    }

    /// The plan that an update is about, if an earlier message has spoken of it.
    pub fn of(&self, key: Key<'_>) -> Option<&Plan> {
        match key {
            Key::Unnamed => self.unnamed.as_ref(),
            Key::Named { id, .. } => self.get(id),
            Key::Missing => None,
        }
    }

    /// The plan without an id.
    pub fn unnamed(&self) -> Option<&Plan> {
        self.unnamed.as_ref()
    }

    /// The plans with an id, in no order.
    pub fn named(&self) -> impl Iterator<Item = (&str, &Plan)> {
        self.named.iter().map(|(id, plan)| (&**id, plan))
    }

    /// All plans that the client shows: the unnamed one, then those with an id by their last
    /// update.
    pub fn shown(&self) -> Vec<(Option<&str>, &Plan)> {
        let mut named: Vec<_> = self.named().filter(|(_, plan)| plan.content().is_some()).collect();
        named.sort_by_key(|(_, plan)| plan.at().span);
        let unnamed = self.unnamed.iter().map(|plan| (None, plan));
        unnamed.chain(named.into_iter().map(|(id, plan)| (Some(id), plan))).collect()
    }

    /// Lists of the turn that may have left out what still exists, in their order.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Plans that were shown when the session was loaded or resumed, until that is answered.
    pub fn forgotten(&self) -> &[Forgotten] {
        &self.forgotten
    }

    /// Whether the plan was shown to the client again after it was forgotten.
    pub fn has(&self, forgotten: &Forgotten) -> bool {
        match &forgotten.id {
            Some(id) => self.named.contains_key(id),
            None => self.unnamed.is_some(),
        }
    }

    /// How the entries of a snapshot relate to what the plan lists; `None` when it is no item plan.
    pub fn relate(&self, snapshot: &Snapshot<'_>, turn: u32) -> Option<Relation> {
        let listing = self.of(snapshot.key).and_then(Plan::listing);
        matches!(snapshot.form, Form::Items(_)).then(|| Relation::of(snapshot, listing, turn))
    }

    /// How many lists of the turn are one under ever new ids, this one included.
    pub fn renamings_with(&self, snapshot: &Snapshot<'_>, turn: u32) -> u32 {
        let Key::Named { id, .. } = snapshot.key else { return 0 };
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

    /// The ids before the current one in a row of renamings, and where their lists stand.
    pub fn last_renamed(&self) -> Option<(&str, Place)> {
        let (id, plan) = self.named.get_key_value(&self.renaming.last)?;
        Some((id, plan.at()))
    }

    /// The past is unknown from here on: plans may exist from before. Whoever replays the session
    /// shows them again.
    pub(super) fn forget(&mut self, is_replay: bool) {
        let shown = if is_replay { self.shown() } else { Vec::new() };
        let is_visible = |plan: &Plan| plan.content().is_some_and(|content| !content.is_blank());
        self.forgotten = shown
            .into_iter()
            .filter(|(_, plan)| is_visible(plan))
            .map(|(id, plan)| Forgotten { id: id.map(Into::into), at: plan.at() })
            .collect();
        self.unnamed = None;
        self.named.clear();
        self.doubts.clear();
        self.renaming = Renaming::default();
    }

    /// Another turn begins.
    pub(super) fn begin_turn(&mut self) {
        self.doubts.clear();
        self.forgotten.clear();
    }

    pub(super) fn apply(
        &mut self,
        updated: &PlanUpdated<'_>,
        turn: u32,
        is_replayed: bool,
        version: Option<Version>,
    ) {
        let snapshot = &updated.snapshot;
        if let Some(relation) = &updated.relation {
            self.doubt(snapshot, relation, turn, version);
            self.rename(snapshot, turn, is_replayed);
        }
        let none = Relation::NONE;
        let relation = updated.relation.as_ref().unwrap_or(&none);
        let next = |old: Option<Content>, is_same_turn: bool| -> Content {
            match (&snapshot.form, old) {
                (Form::Items(_), Some(Content::Items(mut listing))) => {
                    // Readers of version 2 refuse what is no list, those of version 1 see none.
                    let is_list = snapshot.list().is_some_and(Node::is_array);
                    if is_list || version != Some(Version::V2) {
                        listing.replace(snapshot, relation, turn, is_replayed);
                    }
                    Content::Items(listing)
                }
                (Form::Items(_), _) => {
                    Content::Items(Box::new(Listing::new(snapshot, relation, turn, is_replayed)))
                }
                (Form::Markdown(text), old) => {
                    Content::Markdown(Page::next(text.and_then(Node::text), old, is_same_turn))
                }
                (Form::File(uri), _) => Content::File(boxed(*uri).unwrap_or_default()),
                (Form::Other(kind), _) => Content::Other(boxed(*kind)),
            }
        };
        let at = snapshot.place();
        match snapshot.key {
            Key::Missing => {}
            Key::Unnamed => match &mut self.unnamed {
                Some(plan) => plan.show(at, turn, next),
                None => self.unnamed = Some(Plan::new(at, turn, next(None, false))),
            },
            Key::Named { id, .. } => {
                let id = id.as_cow();
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
        let at = Place::of(id, "/params/update/planId");
        let Some(id) = id.text().map(Text::as_cow) else { return };
        match self.named.get_mut(&*id) {
            Some(plan) => plan.dismiss(at),
            None => {
                let plan = Plan { state: State::Removed { at }, removed: Some(at) };
                self.named.insert((*id).into(), plan);
            }
        }
    }

    fn doubt(
        &mut self,
        snapshot: &Snapshot<'_>,
        relation: &Relation,
        turn: u32,
        version: Option<Version>,
    ) {
        let listing = self.of(snapshot.key).and_then(Plan::listing);
        let Some(listing) = listing.filter(|_| !relation.is_first) else { return };
        let id = snapshot.key.id();
        let is_own = |doubt: &Doubt| match (&doubt.id, id) {
            (Some(own), Some(id)) => id == **own,
            (None, None) => true,
            _ => false,
        };
        if relation.resumed.is_some() {
            self.doubts.retain(|doubt| !is_own(doubt));
            return;
        }
        // Before the first prompt on record, turns cannot be told apart on version 1.
        let is_turn = turn > 0 || version == Some(Version::V2);
        if !is_turn || listing.has_resumed() {
            return;
        }
        let Some(doubt) = Doubt::of(snapshot, relation, listing) else { return };
        let is_known = self.doubts.iter().any(|other| {
            is_own(other)
                && (other.kind == DoubtKind::Dropped) == (doubt.kind == DoubtKind::Dropped)
        });
        if !is_known {
            self.doubts.push(doubt);
        }
    }

    fn rename(&mut self, snapshot: &Snapshot<'_>, turn: u32, is_replayed: bool) {
        let Key::Named { id, .. } = snapshot.key else { return };
        let run = if is_replayed { 0 } else { self.renamings_with(snapshot, turn) };
        self.renaming.run = run;
        self.renaming.turn = turn;
        if run > 0 {
            self.renaming.last = id.to_boxed();
        }
    }
}

impl Plan {
    fn new(at: Place, turn: u32, content: Content) -> Self {
        Self { state: State::Shown { since: at, updated: at, turn, content }, removed: None }
    }

    /// An update was received; `next` makes the new content from the old, told whether that is of
    /// the same turn.
    fn show(&mut self, at: Place, turn: u32, next: impl FnOnce(Option<Content>, bool) -> Content) {
        let removed = State::Removed { at };
        let (since, content) = match std::mem::replace(&mut self.state, removed) {
            State::Shown { since, content, turn: old, .. } => {
                (since, next(Some(content), old == turn))
            }
            State::Removed { .. } => (at, next(None, false)),
        };
        self.state = State::Shown { since, updated: at, turn, content };
    }

    /// A removal was received.
    fn dismiss(&mut self, at: Place) {
        if matches!(self.state, State::Shown { .. }) {
            self.state = State::Removed { at };
        }
        self.removed = Some(at);
    }
}

fn boxed(node: Option<Node<'_>>) -> Option<Box<str>> {
    Some(node?.text()?.to_boxed())
}

/// Lists in a row that are one under ever new ids.
#[derive(Clone, Debug, Default)]
struct Renaming {
    turn: u32,
    run: u32,
    last: Box<str>,
}

/// A list that may have left out what still exists. What follows in its turn may prove that, and
/// then it is no doubt any more.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The plan; `None` for the unnamed one.
    pub id: Option<Box<str>>,
    pub kind: DoubtKind,
    /// The list.
    pub at: Place,
    /// How many entries it has.
    pub entries: usize,
    /// The list before it.
    pub before: Place,
    /// How many entries it leaves out that matter.
    pub lost: usize,
    /// The first of them: its text and place.
    pub example: Option<(Box<str>, Mark)>,
}

/// Why a list is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtKind {
    /// It is the list before without its unchanged entries, and pending ones are among them.
    OnlyChanges,
    /// It is the third list in a row of one or two entries that has nothing in common with the one
    /// before.
    Strangers,
    /// It leaves out an unfinished entry and has nothing but changes, which is too little to say
    /// more.
    Dropped,
}

impl Doubt {
    fn of(snapshot: &Snapshot<'_>, relation: &Relation, listing: &Listing) -> Option<Self> {
        let kind = relation.doubt(listing)?;
        let example = match kind {
            DoubtKind::Strangers => None,
            DoubtKind::OnlyChanges => relation
                .gone(listing)
                .find(|(_, item)| item.status == Status::Pending)
                .map(|(position, _)| position),
            DoubtKind::Dropped => relation.dropped,
        };
        let example = example.and_then(|position| {
            let text = listing.text(listing.items().get(position)?);
            Some((text.into(), listing.mark(position)?))
        });
        Some(Self {
            id: snapshot.key.id().map(Text::to_boxed),
            kind,
            at: snapshot.list_place(),
            entries: snapshot.entries().len(),
            before: listing.at(),
            lost: relation.lost,
            example,
        })
    }
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
