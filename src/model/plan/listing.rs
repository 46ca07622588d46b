//! The entries of an item plan, and how the next list relates to the lists of its turn.
//!
//! A client knows the last list only. What an agent may have meant by a short one shows in the
//! lists around it, so the turn's entries are kept with their last status, however often they are
//! listed; the lists themselves are not.

use std::{borrow::Cow, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    json::Node,
    model::{
        Place,
        plan::{DoubtKind, Entry, Priority, Snapshot, Status, identity::Identity, patch},
    },
    rule::Mark,
    source::Span,
};

/// The entries that a client shows, and what the turn has told of them.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The turn of the last list.
    turn: u32,
    /// Where the last list stands; the plan when it has none.
    at: Place,
    items: Vec<Item>,
    /// Every entry that the turn has listed. Items and index refer to it by position.
    known: Vec<Known>,
    /// By name.
    index: FxHashMap<Arc<str>, u32>,
    identity: Identity,
    /// Whose plan it is, where the agent says so of its child agents.
    parent: Option<u64>,
    /// Whether the last list tells nothing about the next: it was replayed, or no list at all.
    is_blind: bool,
    /// Whether the last list had only entries of earlier lists, all of them changed, and not all
    /// entries of earlier lists.
    has_only_changes: bool,
    /// Whether the last list left out entries that were pending.
    omits_pending: bool,
    /// Lists in a row, of one or two entries each, that have nothing in common with the list
    /// before and follow one with unfinished entries.
    strangers: u32,
    /// The turn's last list that has more than changes.
    full: Place,
    /// Whether an entry that a list of the turn left out was seen to go on.
    has_resumed: bool,
}

/// One entry that a client shows.
#[derive(Clone, Debug)]
pub struct Item {
    known: u32,
    /// The text as sent, where folding white space changes it.
    verbatim: Option<Box<str>>,
    pub priority: Priority,
    pub status: Status,
    pub span: Span,
}

/// An entry that a turn has listed, as it was listed last.
#[derive(Clone, Debug)]
struct Known {
    /// What tells it from others: its text, or what the agent keeps in `_meta` for the purpose.
    name: Arc<str>,
    /// With white space folded.
    text: Arc<str>,
    priority: Priority,
    status: Status,
    /// Its first place in the last list; `None` when it is not there.
    position: Option<u32>,
}

/// How a list relates to the lists before it in its turn.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// For each entry, where it is known from.
    matches: Vec<Match>,
    /// How its entries are told from each other.
    identity: Identity,
    parent: Option<u64>,
    /// Whether it is a list that others may be compared with.
    pub is_list: bool,
    /// Whether no list of the turn precedes it that it can be compared with.
    pub is_first: bool,
    /// Whether it has only entries of earlier lists of the turn, all of them changed, and not all
    /// entries of earlier lists.
    pub has_only_changes: bool,
    /// Whether it leaves out entries that were pending when they were listed last.
    pub omits_pending: bool,
    /// Whether it is the preceding list without some of its entries, and all others changed.
    pub keeps_only_changes: bool,
    /// How many pending entries of the preceding list it leaves out.
    pub lost: usize,
    /// The first unfinished entry of the preceding list that it leaves out though it has no new
    /// entries.
    pub dropped: Option<usize>,
    /// The entry that the preceding list left out and that goes on in this one, while neither list
    /// has anything but changes.
    pub resumed: Option<usize>,
    /// See [`Listing::strangers`].
    pub strangers: u32,
}

/// Where an entry is known from.
#[derive(Clone, Copy, Debug, Default)]
struct Match {
    known: Option<u32>,
    /// Its place in the preceding list.
    previous: Option<u32>,
}

/// More entries than this, beyond those of the last list, are not remembered.
const MOST: usize = 1000;

impl Relation {
    /// That of a list about which nothing is known.
    pub(super) const NONE: Self = Self {
        matches: Vec::new(),
        identity: Identity::Text,
        parent: None,
        is_list: false,
        is_first: true,
        has_only_changes: false,
        omits_pending: false,
        keeps_only_changes: false,
        lost: 0,
        dropped: None,
        resumed: None,
        strangers: 0,
    };

    /// How the entries of an item plan relate to those of `listing`.
    pub(super) fn of(snapshot: &Snapshot<'_>, listing: Option<&Listing>, turn: u32) -> Self {
        let entries = snapshot.entries();
        let is_list = snapshot.list().is_some_and(Node::is_array)
            && entries.iter().all(|entry| entry.content.is_some())
            && patch::of(snapshot.body, snapshot.plan).is_none();
        let mut relation = Self {
            identity: Identity::of(entries),
            parent: Identity::parent(snapshot.plan),
            is_list,
            is_first: true,
            ..Self::default()
        };
        if let Some(listing) = listing {
            relation.find(entries, listing);
            relation.is_first =
                turn != listing.turn || listing.is_blind || relation.parent != listing.parent;
        } else {
            relation.matches.resize(entries.len(), Match::default());
        }
        let is_small = matches!(entries.len(), 1 | 2);
        relation.strangers = u32::from(is_small);
        if is_list
            && !relation.is_first
            && let Some(listing) = listing
        {
            relation.compare(entries, listing);
        }
        relation
    }

    fn find(&mut self, entries: &[Entry<'_>], listing: &Listing) {
        let is_same = self.identity == listing.identity;
        self.matches.extend(entries.iter().enumerate().map(|(position, entry)| {
            let known = if is_same {
                self.identity.name(entry).and_then(|name| listing.find(position, &name))
            } else {
                Identity::Text.name(entry).and_then(|text| listing.find_text(&text))
            };
            let previous = known.and_then(|known| listing.known[known as usize].position);
            Match { known, previous }
        }));
    }

    fn compare(&mut self, entries: &[Entry<'_>], listing: &Listing) {
        let is_new = |found: &Match| found.known.is_none();
        if !entries.is_empty() && !self.matches.iter().any(is_new) {
            let is_distinct = self.is_distinct();
            self.has_only_changes = is_distinct
                && entries.len() < listing.known.len()
                && self.known(listing).zip(entries).all(|(known, entry)| {
                    known.status != entry.status() || known.priority != entry.priority()
                });
            if entries.len() < listing.items.len() {
                self.keeps_only_changes = is_distinct && self.is_part(entries, listing);
                let lost = self.gone(listing).filter(|(_, item)| item.status == Status::Pending);
                self.lost = lost.count();
                let dropped = self
                    .gone(listing)
                    .find(|(_, item)| item.status.is_finished() == Some(false))
                    .map(|(position, _)| position);
                self.dropped = dropped;
            }
        }
        if self.has_only_changes {
            let mut is_listed = vec![false; listing.known.len()];
            for found in &self.matches {
                is_listed[found.known.expect("no entry is new") as usize] = true;
            }
            self.omits_pending = listing
                .known
                .iter()
                .zip(is_listed)
                .any(|(known, is_listed)| !is_listed && known.status == Status::Pending);
            if listing.has_only_changes && listing.omits_pending {
                let resumed = self.known(listing).zip(entries).position(|(known, entry)| {
                    known.position.is_none()
                        && known.status.is_finished() == Some(false)
                        && entry.status().progress() >= known.status.progress()
                });
                self.resumed = resumed;
            }
        }
        let is_strange = self.matches.iter().all(|found| found.previous.is_none())
            && listing.items.iter().any(|item| item.status.is_finished() == Some(false));
        if self.strangers > 0 && is_strange {
            self.strangers += listing.strangers;
        }
    }

    /// What is known of the entries, all of which are known.
    fn known<'a>(&'a self, listing: &'a Listing) -> impl Iterator<Item = &'a Known> {
        self.matches.iter().filter_map(|found| Some(&listing.known[found.known? as usize]))
    }

    /// Whether no entry is listed twice.
    fn is_distinct(&self) -> bool {
        let mut known: Vec<_> = self.matches.iter().map(|found| found.known).collect();
        known.sort_unstable();
        known.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Whether all entries stand in the preceding list, in this order, and have changed since.
    fn is_part(&self, entries: &[Entry<'_>], listing: &Listing) -> bool {
        self.matches.is_sorted_by(|one, next| one.previous < next.previous)
            && self.matches.iter().zip(entries).all(|(found, entry)| {
                found.previous.is_some_and(|previous| {
                    let item = &listing.items[previous as usize];
                    item.status != entry.status() || item.priority != entry.priority()
                })
            })
    }

    /// Whether the list is the preceding one again.
    pub fn is_repetition(&self, entries: &[Entry<'_>], listing: &Listing) -> bool {
        self.matches.len() == listing.items.len()
            && self.matches.iter().zip(entries).zip(&listing.items).all(|((found, entry), item)| {
                found.known == Some(item.known)
                    && item.status == entry.status()
                    && item.priority == entry.priority()
            })
    }

    /// The entries of the preceding list that are not in this one, with their positions.
    pub fn gone<'a>(&self, listing: &'a Listing) -> impl Iterator<Item = (usize, &'a Item)> {
        let mut kept: Vec<_> = self.matches.iter().filter_map(|found| found.known).collect();
        kept.sort_unstable();
        listing
            .items
            .iter()
            .enumerate()
            .filter(move |(_, item)| kept.binary_search(&item.known).is_err())
    }

    /// Why the list may have left out what still exists; `None` when there is no reason to think so,
    /// or when later lists cannot tell more.
    pub fn doubt(&self, listing: &Listing) -> Option<DoubtKind> {
        let is_lone = self.matches.len() == 1 && listing.items.len() >= 3;
        if self.keeps_only_changes && (self.lost >= 2 || is_lone && self.lost >= 1) {
            Some(DoubtKind::OnlyChanges)
        } else if self.strangers >= 3 {
            Some(DoubtKind::Strangers)
        } else if self.has_only_changes && self.dropped.is_some() {
            Some(DoubtKind::Dropped)
        } else {
            None
        }
    }

    /// For each entry of the list, the one of the preceding list that it continues.
    pub fn kept<'a>(
        &'a self,
        listing: Option<&'a Listing>,
    ) -> impl Iterator<Item = Option<&'a Item>> {
        self.matches.iter().map(move |found| Some(&listing?.items[found.previous? as usize]))
    }
}

impl Listing {
    /// The first list of a plan.
    pub(super) fn new(
        snapshot: &Snapshot<'_>,
        relation: &Relation,
        turn: u32,
        is_replayed: bool,
    ) -> Self {
        let at = snapshot.list_place();
        let mut listing = Self {
            turn,
            at,
            items: Vec::new(),
            known: Vec::new(),
            index: FxHashMap::default(),
            identity: Identity::Text,
            parent: None,
            is_blind: false,
            has_only_changes: false,
            omits_pending: false,
            strangers: 0,
            full: at,
            has_resumed: false,
        };
        listing.replace(snapshot, relation, turn, is_replayed);
        listing
    }

    /// The next list takes the place of the last.
    pub(super) fn replace(
        &mut self,
        snapshot: &Snapshot<'_>,
        relation: &Relation,
        turn: u32,
        is_replayed: bool,
    ) {
        self.at = snapshot.list_place();
        if turn != self.turn {
            self.has_resumed = false;
        }
        self.turn = turn;
        self.is_blind = is_replayed || !relation.is_list;
        let restarts =
            relation.is_first || self.is_blind || self.known.len() > self.items.len() + MOST;
        if restarts {
            self.known.clear();
            self.index.clear();
            self.identity = relation.identity.clone();
        } else if self.identity != relation.identity && !relation.matches.is_empty() {
            self.go_by_text();
        }
        self.parent = relation.parent;
        self.has_only_changes = relation.has_only_changes;
        self.omits_pending = relation.omits_pending;
        self.strangers = relation.strangers;
        self.has_resumed |= relation.resumed.is_some();
        if !relation.has_only_changes {
            self.full = self.at;
        }
        for known in &mut self.known {
            known.position = None;
        }
        self.items.clear();
        for (entry, found) in snapshot.entries().iter().zip(&relation.matches) {
            let known = if restarts { None } else { found.known };
            self.list(entry, known);
        }
    }

    /// Adds an entry to the current list; `None`: it may not be known.
    fn list(&mut self, entry: &Entry<'_>, known: Option<u32>) {
        let Some(content) = entry.content else { return };
        let position = u32::try_from(self.items.len()).ok();
        let (priority, status) = (entry.priority(), entry.status());
        let known = known.unwrap_or_else(|| self.admit(entry));
        let text = content.as_cow();
        let own = &mut self.known[known as usize];
        let is_verbatim = *own.text == *text;
        if !is_verbatim {
            let folded = folded(text.clone());
            if *own.text != *folded {
                own.text = folded.into();
            }
        }
        own.priority = priority.clone();
        own.status = status.clone();
        own.position = own.position.or(position);
        let verbatim = (*own.text != *text).then(|| text.into());
        self.items.push(Item { known, verbatim, priority, status, span: entry.node.span() });
    }

    /// The position of an entry among the known ones, where it is put if need be.
    fn admit(&mut self, entry: &Entry<'_>) -> u32 {
        let name = self.identity.name(entry).or_else(|| Identity::Text.name(entry));
        let name = name.unwrap_or_default();
        if let Some(known) = self.index.get(&*name) {
            return *known;
        }
        let position = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = name.into();
        let text = Arc::clone(&name);
        let (priority, status) = (Priority::Absent, Status::Absent);
        self.index.insert(Arc::clone(&name), position);
        self.known.push(Known { name, text, priority, status, position: None });
        position
    }

    /// Tells entries by their text from now on, because `_meta` no longer does.
    fn go_by_text(&mut self) {
        self.identity = Identity::Text;
        self.index.clear();
        for (position, known) in (0..).zip(&mut self.known) {
            known.name = Arc::clone(&known.text);
            self.index.entry(Arc::clone(&known.name)).or_insert(position);
        }
    }

    /// The entry of this name; most likely the one at `position` of the last list.
    fn find(&self, position: usize, name: &str) -> Option<u32> {
        let here = self.items.get(position).map(|item| item.known);
        here.filter(|known| *self.known[*known as usize].name == *name)
            .or_else(|| self.index.get(name).copied())
    }

    /// Whether these entries have the same texts in the same order.
    pub fn is_list_of(&self, entries: &[Entry<'_>]) -> bool {
        let mut texts = entries.iter().map(|entry| Identity::Text.name(entry));
        self.items.len() == entries.len()
            && self
                .items
                .iter()
                .all(|item| texts.next().flatten().is_some_and(|text| *text == *self.text(item)))
    }

    /// Whether at least half of the entries are in the last list, and half of that in them.
    pub(super) fn is_half_of(&self, entries: &[Entry<'_>]) -> bool {
        let texts = entries.iter().filter_map(|entry| Identity::Text.name(entry));
        let common = texts.filter(|text| self.items.iter().any(|item| self.text(item) == text));
        2 * common.count() >= entries.len().max(self.items.len())
    }

    fn find_text(&self, text: &str) -> Option<u32> {
        (0..).zip(&self.known).find(|(_, known)| *known.text == *text).map(|(position, _)| position)
    }

    /// The entries that the client shows.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The text of an entry, white space folded.
    pub fn text(&self, item: &Item) -> &str {
        &self.known[item.known as usize].text
    }

    /// The text of an entry as it was sent.
    pub fn verbatim<'a>(&'a self, item: &'a Item) -> &'a str {
        item.verbatim.as_deref().unwrap_or_else(|| self.text(item))
    }

    /// Where the last list stands.
    pub fn at(&self) -> Place {
        self.at
    }

    /// The turn of the last list.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Where the turn's last list stands that had more than changes.
    pub fn full(&self) -> Place {
        self.full
    }

    /// Whether an entry that a list of the turn left out has gone on since.
    pub fn has_resumed(&self) -> bool {
        self.has_resumed
    }

    /// Where an entry of the last list stands.
    pub fn mark(&self, position: usize) -> Option<Mark> {
        let pointer = format!("{}/{position}", self.at.pointer);
        Some(Mark { span: self.items.get(position)?.span, pointer: Some(pointer) })
    }
}

/// A text without white space at its ends and with single spaces within; borrowed when it is like
/// that.
pub(super) fn folded(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut after_space = true;
    let mut is_folded = true;
    for character in text.chars() {
        let is_space = character.is_whitespace();
        is_folded &= !is_space || (character == ' ' && !after_space);
        after_space = is_space;
    }
    if is_folded && (!after_space || text.is_empty()) {
        return text;
    }
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").into()
}
