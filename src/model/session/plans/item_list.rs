//! The entries of an item plan that a client shows, and those that the turn has listed before.
//!
//! A client knows the last list only. What an agent may have meant by a short one shows in the
//! lists around it, so the turn's entries are kept with their last status, however often they are
//! listed; the lists themselves are not.

use std::{borrow::Cow, fmt::Write};

use crate::{
    json::{self, Text},
    map::{Map, Set},
    model::{
        anchor::Anchor,
        mark::Mark,
        session::plans::{
            diff::{Diff, ListExtent},
            entry_key::EntryKey,
            entry_table::EntryTable,
            identity::EntryIdentity,
            snapshot::{PlanEntry, PlanSnapshot},
            vocabulary::{EntryStatus, Priority},
        },
    },
    source::Span,
};

/// The entries that a client shows, and what the turn has told of them.
#[derive(Clone, Debug)]
pub struct ItemList {
    /// The turn of the last list.
    pub(super) turn: u32,
    /// Where the last list stands; the plan when it has none.
    at: Anchor,
    pub(super) items: Vec<Item>,
    /// Every entry that the turn has listed.
    pub(super) known: EntryTable,
    pub(super) identity: EntryIdentity,
    /// Whose plan it is, where the agent says so of its child agents.
    pub(super) parent: Option<u64>,
    /// Whether the last list tells nothing about the next: it was replayed, or no list at all.
    pub(super) is_blind: bool,
    pub(super) extent: ListExtent,
    /// Lists in a row, of one or two entries each, that have nothing in common with the list
    /// before and follow one with unfinished entries.
    pub(super) strangers: u32,
    /// The turn's last list that has more than changes.
    full: Anchor,
    /// Whether an entry that a list of the turn left out was seen to go on.
    has_resumed: bool,
}

/// One entry that a client shows.
#[derive(Clone, Debug)]
pub struct Item {
    pub(super) known: u32,
    /// The text as it was written, where that is not its text: with escapes, or white space that
    /// is folded.
    written: Option<Box<str>>,
    pub priority: Priority,
    pub status: EntryStatus,
    pub span: Span,
}

/// More entries than this, beyond those of the last list, are not remembered.
const MOST: usize = 1000;

impl ItemList {
    /// The first list of a plan.
    pub(super) fn new(
        snapshot: &PlanSnapshot<'_>,
        diff: &Diff,
        turn: u32,
        is_replayed: bool,
    ) -> Self {
        let at = snapshot.list_place();
        let mut listing = Self {
            turn,
            at,
            items: Vec::new(),
            known: EntryTable::default(),
            identity: EntryIdentity::Text,
            parent: None,
            is_blind: false,
            extent: ListExtent::Whole,
            strangers: 0,
            full: at,
            has_resumed: false,
        };
        listing.replace(snapshot, diff, turn, is_replayed);
        listing
    }

    /// The next list takes the place of the last.
    pub(super) fn replace(
        &mut self,
        snapshot: &PlanSnapshot<'_>,
        diff: &Diff,
        turn: u32,
        is_replayed: bool,
    ) {
        self.at = snapshot.list_place();
        if turn != self.turn {
            self.has_resumed = false;
        }
        self.turn = turn;
        self.is_blind = is_replayed || !diff.is_list;
        let restarts =
            diff.is_first || self.is_blind || self.known.entries().len() > self.items.len() + MOST;
        let entries = snapshot.entries();
        if restarts {
            self.known = EntryTable::default();
            self.items.clear();
            self.identity = diff.identity.clone();
        } else if self.identity != diff.identity && !diff.matches.is_empty() {
            // `_meta` no longer tells them.
            self.identity = EntryIdentity::Text;
            self.known.go_by_text();
        }
        self.parent = diff.parent;
        self.extent = diff.extent;
        self.strangers = diff.strangers;
        self.has_resumed |= diff.resumed.is_some();
        if diff.extent == ListExtent::Whole {
            self.full = self.at;
        }
        // Nothing else has a place in the last list, and the turn may have listed many more entries.
        for item in &self.items {
            self.known.leave_out(item.known, self.at);
        }
        debug_assert!(self.known.entries().iter().all(|known| known.position.is_none()));
        // Those among which entries without a match have been looked for.
        let before = self.known.entries().len();
        let mut place = 0;
        for (entry, found) in entries.iter().zip(&diff.matches) {
            let known = if restarts { None } else { found.known };
            place += usize::from(self.list(place, entry, known, before));
        }
        self.items.truncate(place);
    }

    /// An entry stands at this place of the current list, unless it has no text; `None`: it is none
    /// of those that were known `before`. What is written as before is not read again.
    fn list(
        &mut self,
        place: usize,
        entry: &PlanEntry<'_>,
        known: Option<u32>,
        before: usize,
    ) -> bool {
        let admitted = known.map(|known| (known, false)).or_else(|| self.admit(entry, before));
        let Some((known, is_new)) = admitted else { return false };
        let Some(content) = entry.content else { return false };
        let words @ (priority, status) = (entry.priority(), entry.status());
        self.known.list(known, words, u32::try_from(place).ok());
        let span = entry.node.span();
        if let Some(item) = self.items.get(place)
            && item.known == known
            && self.is_written(item, content)
        {
            let item = &mut self.items[place];
            item.priority.clone_from(priority);
            item.status.clone_from(status);
            item.span = span;
            return true;
        }
        let is_told_by_text = is_new && self.identity == EntryIdentity::Text;
        if !is_told_by_text {
            self.known.reword(known, entry.wording().unwrap_or_default());
        }
        let written = (!entry.is_folded()).then(|| content.raw_inner().into());
        let (priority, status) = (priority.clone(), status.clone());
        let item = Item { known, written, priority, status, span };
        match self.items.get_mut(place) {
            Some(old) => *old = item,
            None => self.items.push(item),
        }
        true
    }

    /// The place that an entry is known by from now on, and whether it is new; `None` where there is
    /// nothing to know it by. It is none of those that were known `before`.
    fn admit(&mut self, entry: &PlanEntry<'_>, before: usize) -> Option<(u32, bool)> {
        let Self { identity, known, .. } = self;
        let mut admit = |name: &EntryKey<'_>| known.admit(name, before);
        identity.read(entry, &mut admit).or_else(|| EntryIdentity::Text.read(entry, admit))
    }

    /// Whether a text is written like that of an item, and so the same.
    fn is_written(&self, item: &Item, content: Text<'_>) -> bool {
        content.raw_inner() == item.written.as_deref().unwrap_or_else(|| self.text(item))
    }

    /// The place that an entry is known by; most likely that of `position` in the last list.
    pub(super) fn find(&self, position: usize, entry: &PlanEntry<'_>) -> Option<u32> {
        let here = self.items.get(position);
        if let (EntryIdentity::Text, Some(item)) = (&self.identity, here)
            && self.is_written(item, entry.content?)
        {
            return Some(item.known);
        }
        self.identity.read(entry, |name| {
            here.map(|item| item.known)
                .filter(|known| *self.known.name(*known) == *name.text)
                .or_else(|| self.known.find(name))
        })?
    }

    /// Whether these entries have the same texts in the same order.
    pub fn is_list_of(&self, entries: &[PlanEntry<'_>]) -> bool {
        self.items.len() == entries.len()
            && self
                .items
                .iter()
                .zip(entries)
                .all(|(item, entry)| entry.wording() == Some(self.text(item)))
    }

    /// Whether at least half of the entries are in the last list, and half of that in them.
    pub(super) fn is_half_of(&self, entries: &[PlanEntry<'_>]) -> bool {
        let known: Set<&str> = self.items.iter().map(|item| self.text(item)).collect();
        let common =
            entries.iter().filter_map(PlanEntry::wording).filter(|text| known.contains(text));
        2 * common.count() >= entries.len().max(self.items.len())
    }

    /// The entries by their texts, of several the first.
    pub(super) fn by_text(&self) -> Map<&str, u32> {
        let mut positions = Map::default();
        for (position, _) in (0..).zip(self.known.entries()) {
            positions.entry(self.known.text(position)).or_insert(position);
        }
        positions
    }

    /// The entries that the client shows.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The text of an entry, white space folded.
    pub fn text(&self, item: &Item) -> &str {
        self.known.text(item.known)
    }

    /// The text of an entry as it was sent.
    pub fn verbatim<'a>(&'a self, item: &'a Item) -> Cow<'a, str> {
        item.written.as_deref().map_or_else(|| self.text(item).into(), json::decoded)
    }

    /// Where the last list stands.
    pub fn at(&self) -> Anchor {
        self.at
    }

    /// The turn of the last list.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Where the turn's last list stands that had more than changes.
    pub fn full(&self) -> Anchor {
        self.full
    }

    /// Where the first list stands that leaves out what an entry of the next list is known by, since
    /// it was listed last; the last list where that is not known.
    pub fn left_out(&self, diff: &Diff, position: usize) -> Anchor {
        let known = diff.matches.get(position).and_then(|found| found.known);
        known.and_then(|known| self.known.get(known).left_out).unwrap_or(self.at)
    }

    /// Whether an entry that a list of the turn left out has gone on since.
    pub fn has_resumed(&self) -> bool {
        self.has_resumed
    }

    /// Where an entry of the last list stands.
    pub fn mark(&self, position: usize) -> Option<Mark> {
        let span = self.items.get(position)?.span;
        let list = self.at.pointer();
        // As long as it will be: it is neither to grow nor to shrink.
        let digits = position.checked_ilog10().unwrap_or_default() as usize + 1;
        let mut pointer = String::with_capacity(list.len() + "/".len() + digits);
        let written = write!(pointer, "{list}/{position}");
        written.expect("texts take everything");
        Some(Mark { span, pointer: Some(pointer.into()) })
    }
}
