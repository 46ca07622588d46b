//! The entries of an item plan that a client shows, and those that the turn has listed before.
//!
//! A client knows the last list only. What an agent meant by a short list shows in the lists around
//! it. So every entry of the turn is kept, with its last status; the lists themselves are not. A turn
//! whose first list has only changes of the turn before goes on with its entries.

use std::{borrow::Cow, fmt::Write};

use crate::{
    json::{self, Text},
    map::{Map, Set},
    model::{
        anchor::Anchor,
        mark::Mark,
        session::plans::{
            diff::{Diff, ListExtent},
            entry_table::EntryTable,
            identity::EntryIdentity,
            snapshot::{PlanEntry, PlanSnapshot},
            vocabulary::{EntryStatus, Priority},
        },
    },
    source::Span,
};

/// The entries of a plan with entries that a client shows, and all entries that the lists of the
/// turn have had.
#[derive(Clone, Debug)]
pub struct ItemList {
    /// Number of the turn in which the last list of the plan came.
    pub(super) turn: u32,
    /// Place of the last list, so that a finding can point at it; of the plan when it has no list.
    at: Anchor,
    pub(super) items: Vec<Item>,
    /// All entries that the lists of the turn have had, with their last status.
    pub(super) known: EntryTable,
    pub(super) identity: EntryIdentity,
    /// Hash of the parent that the plan's `_meta` names, so that plans of different subagents are
    /// not compared; `None` without one. See `EntryIdentity::parent`.
    pub(super) parent: Option<u64>,
    /// Whether the next list cannot be compared with the last one, which was replayed or malformed.
    pub(super) is_blind: bool,
    pub(super) extent: ListExtent,
    /// Whether the last list continues an earlier one of the turn, or of the turn before.
    pub is_continued: bool,
    /// How many lists in a row have only one or two entries, none of them in the preceding list
    /// although that has unfinished ones.
    pub(super) strangers: u32,
    /// Place of the last list that may have been complete, so that a finding can point at it.
    full: Anchor,
    /// Whether an entry that a list of the turn left out was listed again, and has not gone back.
    has_resumed: bool,
}

/// One entry of a plan with entries, as the client shows it.
#[derive(Clone, Debug)]
pub struct Item {
    pub(super) known: u32,
    /// The entry's text as the message writes it, when it differs from the folded text by escapes
    /// or white space; `None` otherwise. Boxed twice to save memory, since few entries have it.
    written: Option<Box<Box<str>>>,
    pub priority: Priority,
    pub status: EntryStatus,
    pub span: Span,
}

/// How many entries, beyond those of the last list, are kept of a turn at most.
const MOST: usize = 1000;

impl ItemList {
    /// The state of a plan's entries after its first list.
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
            is_continued: false,
            strangers: 0,
            full: at,
            has_resumed: false,
        };
        listing.replace(snapshot, diff, turn, is_replayed);
        listing
    }

    /// Replaces the shown entries by those of the next list. `diff` has the comparison of the two;
    /// `is_replayed` says whether a replay sent the list.
    pub(super) fn replace(
        &mut self,
        snapshot: &PlanSnapshot<'_>,
        diff: &Diff,
        turn: u32,
        is_replayed: bool,
    ) {
        self.at = snapshot.list_place();
        if turn != self.turn && !diff.carries_on {
            self.has_resumed = false;
        }
        self.turn = turn;
        self.is_blind = is_replayed || !diff.is_list;
        let is_too_long = self.known.entries().len() > self.items.len() + MOST;
        let restarts = diff.is_first && !diff.carries_on || self.is_blind || is_too_long;
        let entries = snapshot.entries();
        if restarts {
            self.known = EntryTable::default();
            self.items.clear();
            self.identity = diff.identity.clone();
        } else if self.identity != diff.identity && !diff.matches.is_empty() {
            // Entries are no longer identified by `_meta`.
            self.identity = EntryIdentity::Text;
            self.known.go_by_text();
        }
        self.parent = diff.parent;
        self.extent = diff.extent;
        self.is_continued = !diff.is_first || diff.carries_on;
        self.strangers = diff.strangers;
        self.has_resumed |= diff.resumed.is_some();
        if diff.extent == ListExtent::Whole {
            self.full = self.at;
        }
        // Only these have a position in the last list; the turn may have listed many more.
        for item in &self.items {
            self.known.leave_out(item.known, self.at);
        }
        debug_assert!(self.known.entries().iter().all(|known| known.position.is_none()));
        let mut place = 0;
        for (entry, found) in entries.iter().zip(&diff.matches) {
            let known = if restarts { None } else { found.known };
            place += usize::from(self.list(place, entry, known));
        }
        self.items.truncate(place);
    }

    /// Puts an entry at position `place` of the current list, and returns whether it has a text,
    /// without which it is left out. `known` is its position in the table; `None` if it was not there
    /// before this list.
    fn list(&mut self, place: usize, entry: &PlanEntry<'_>, known: Option<u32>) -> bool {
        let (Some(content), Some(text)) = (entry.content, entry.wording()) else { return false };
        let known = known.unwrap_or_else(|| {
            let key = self.identity.key(entry);
            self.known.admit(key.as_deref().unwrap_or(text))
        });
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
        self.known.reword(known, text);
        let written = (!entry.is_folded()).then(|| Box::new(content.raw_inner().into()));
        let (priority, status) = (priority.clone(), status.clone());
        let item = Item { known, written, priority, status, span };
        match self.items.get_mut(place) {
            Some(old) => *old = item,
            None => self.items.push(item),
        }
        true
    }

    /// The text of an entry as JSON has it, with escape sequences and all white space.
    fn written<'a>(&'a self, item: &'a Item) -> &'a str {
        match &item.written {
            Some(written) => written,
            None => self.text(item),
        }
    }

    /// Whether a text is written in JSON like that of the shown entry, and so is the same.
    fn is_written(&self, item: &Item, content: Text<'_>) -> bool {
        content.raw_inner() == self.written(item)
    }

    /// Position of an entry in the table of the turn; `None` for a new one. The entry at `position`
    /// of the last list is tried first.
    pub(super) fn find(&self, position: usize, entry: &PlanEntry<'_>) -> Option<u32> {
        if let (EntryIdentity::Text, Some(item)) = (&self.identity, self.items.get(position))
            && self.is_written(item, entry.content?)
        {
            return Some(item.known);
        }
        self.known.find(&self.identity.key(entry)?)
    }

    /// Whether these entries have the same texts as the shown ones, in the same order.
    pub fn is_list_of(&self, entries: &[PlanEntry<'_>]) -> bool {
        self.items.len() == entries.len()
            && self
                .items
                .iter()
                .zip(entries)
                .all(|(item, entry)| entry.wording() == Some(self.text(item)))
    }

    /// Whether the entries and the shown ones have at least half of the longer list in common.
    pub(super) fn is_half_of(&self, entries: &[PlanEntry<'_>]) -> bool {
        let known: Set<&str> = self.items.iter().map(|item| self.text(item)).collect();
        let common =
            entries.iter().filter_map(PlanEntry::wording).filter(|text| known.contains(text));
        2 * common.count() >= entries.len().max(self.items.len())
    }

    /// Positions of the turn's entries by their texts; of several with one text, the first.
    pub(super) fn by_text(&self) -> Map<&str, u32> {
        let mut positions = Map::default();
        for (position, known) in (0..).zip(self.known.entries()) {
            positions.entry(&*known.text).or_insert(position);
        }
        positions
    }

    /// The entries that the client shows, in the order of the last list.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The text of a shown entry, with white space folded.
    pub fn text(&self, item: &Item) -> &str {
        &self.known.get(item.known).text
    }

    /// The text of a shown entry as it was sent, with all white space.
    pub fn verbatim<'a>(&'a self, item: &'a Item) -> Cow<'a, str> {
        item.written
            .as_ref()
            .map_or_else(|| self.text(item).into(), |written| json::decoded(written))
    }

    /// Place of the last list, so that a finding can point at it.
    pub fn at(&self) -> Anchor {
        self.at
    }

    /// Number of the turn in which the last list of the plan came.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Place of the turn's last list that may have been complete, so that a finding can point at
    /// it.
    pub fn full(&self) -> Anchor {
        self.full
    }

    /// Place of the first list that leaves out an entry of the next list, so that a finding can
    /// point at it; of the last list when that is unknown. `diff` and `position` are those of the
    /// next list.
    pub fn left_out(&self, diff: &Diff, position: usize) -> Anchor {
        let known = diff.matches.get(position).and_then(|found| found.known);
        known.and_then(|known| self.known.get(known).left_out).unwrap_or(self.at)
    }

    /// Whether an entry that a list of the turn left out was listed again, and has not gone back.
    pub fn has_resumed(&self) -> bool {
        self.has_resumed
    }

    /// The place of the entry at this position of the last list, so that a finding can point at it;
    /// `None` beyond its end.
    pub fn mark(&self, position: usize) -> Option<Mark> {
        let span = self.items.get(position)?.span;
        let list = self.at.pointer();
        // The exact length of the pointer.
        let digits = position.checked_ilog10().unwrap_or_default() as usize + 1;
        let mut pointer = String::with_capacity(list.len() + "/".len() + digits);
        let written = write!(pointer, "{list}/{position}");
        written.expect("texts take everything");
        Some(Mark { span, pointer: Some(pointer.into()), file: None })
    }
}
