//! The entries of an item plan, and how the next list relates to the lists of its turn.
//!
//! A client knows the last list only. What an agent may have meant by a short one shows in the
//! lists around it, so the turn's entries are kept with their last status, however often they are
//! listed; the lists themselves are not.

use std::{borrow::Cow, sync::Arc};

use crate::{
    map::{Map, Set},
    model::{
        Place,
        plan::{Entry, Extent, Priority, Relation, Snapshot, Status, identity::Identity},
    },
    rule::Mark,
    source::Span,
};

/// The entries that a client shows, and what the turn has told of them.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The turn of the last list.
    pub(super) turn: u32,
    /// Where the last list stands; the plan when it has none.
    at: Place,
    pub(super) items: Vec<Item>,
    /// Every entry that the turn has listed. Items and index refer to it by position.
    pub(super) known: Vec<Known>,
    /// By name.
    index: Map<Arc<str>, u32>,
    pub(super) identity: Identity,
    /// Whose plan it is, where the agent says so of its child agents.
    pub(super) parent: Option<u64>,
    /// Whether the last list tells nothing about the next: it was replayed, or no list at all.
    pub(super) is_blind: bool,
    pub(super) extent: Extent,
    /// Lists in a row, of one or two entries each, that have nothing in common with the list
    /// before and follow one with unfinished entries.
    pub(super) strangers: u32,
    /// The turn's last list that has more than changes.
    full: Place,
    /// Whether an entry that a list of the turn left out was seen to go on.
    has_resumed: bool,
}

/// One entry that a client shows.
#[derive(Clone, Debug)]
pub struct Item {
    pub(super) known: u32,
    /// The text as sent, where folding white space changes it.
    verbatim: Option<Box<str>>,
    pub priority: Priority,
    pub status: Status,
    pub span: Span,
}

/// An entry that a turn has listed, as it was listed last.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// What tells it from others: its text, or what the agent keeps in `_meta` for the purpose.
    name: Arc<str>,
    /// With white space folded.
    text: Arc<str>,
    pub(super) priority: Priority,
    pub(super) status: Status,
    /// Its first place in the last list; `None` when it is not there.
    pub(super) position: Option<u32>,
}

/// More entries than this, beyond those of the last list, are not remembered.
const MOST: usize = 1000;

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
            index: Map::default(),
            identity: Identity::Text,
            parent: None,
            is_blind: false,
            extent: Extent::Whole,
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
        self.extent = relation.extent;
        self.strangers = relation.strangers;
        self.has_resumed |= relation.resumed.is_some();
        if relation.extent == Extent::Whole {
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
        if !is_folding(&own.text, &text) {
            own.text = folded(text.clone()).into();
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

    /// The place that an entry is known by; most likely that of `position` in the last list.
    pub(super) fn find(&self, position: usize, entry: &Entry<'_>) -> Option<u32> {
        let here = self.items.get(position).map(|item| item.known);
        here.filter(|known| self.identity.is_name(&self.known[*known as usize].name, entry))
            .or_else(|| self.index.get(&*self.identity.name(entry)?).copied())
    }

    /// Where the entry stands in the last list, apart from places that are taken; most likely at
    /// `position`.
    pub(super) fn place(&self, position: usize, known: u32, is_taken: &[bool]) -> Option<u32> {
        let is_free =
            |at: usize| self.items.get(at).is_some_and(|item| item.known == known) && !is_taken[at];
        let first = self.known[known as usize].position?;
        let at = if is_free(position) {
            position
        } else {
            (first as usize..self.items.len()).find(|at| is_free(*at))?
        };
        u32::try_from(at).ok()
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
        let known: Set<&str> = self.items.iter().map(|item| self.text(item)).collect();
        let texts = entries.iter().filter_map(|entry| Identity::Text.name(entry));
        let common = texts.filter(|text| known.contains(&**text));
        2 * common.count() >= entries.len().max(self.items.len())
    }

    /// The entries by their texts, of several the first.
    pub(super) fn by_text(&self) -> Map<&str, u32> {
        let mut positions = Map::default();
        for (position, known) in (0..).zip(&self.known) {
            positions.entry(&*known.text).or_insert(position);
        }
        positions
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
    if is_folded(text.as_bytes()) || text.is_empty() {
        return text;
    }
    // The same, and quicker, where all white space is ASCII's.
    let has_other = text.bytes().any(|byte| matches!(byte, b'\x0b' | 0xc2 | 0xe1..=0xe3));
    let mut folded = String::with_capacity(text.len());
    let mut add = |word: &str| {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    };
    if has_other {
        text.split_whitespace().for_each(&mut add);
    } else {
        text.split_ascii_whitespace().for_each(&mut add);
    }
    folded.into()
}

/// Whether the second text, once folded, is the first. It allocates nothing.
pub(super) fn is_folding(folded: &str, text: &str) -> bool {
    let mut rest = folded;
    folded == text
        || text.split_whitespace().enumerate().all(|(index, word)| {
            let behind = if index == 0 { Some(rest) } else { rest.strip_prefix(' ') };
            let behind = behind.and_then(|rest| rest.strip_prefix(word));
            behind.map(|behind| rest = behind).is_some()
        }) && rest.is_empty()
}

/// Whether it is sure that nothing is to be folded. One look at each byte: those that all white space
/// beyond ASCII begins with are rare in other characters.
fn is_folded(text: &[u8]) -> bool {
    let mut before = b' ';
    for &byte in text {
        let may_be_space = matches!(byte, b'\t'..=b'\r' | 0xc2 | 0xe1..=0xe3);
        if may_be_space || (byte == b' ' && before == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' '
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_leaves_single_spaces_between_words() {
        for (text, expected) in [
            ("", ""),
            (" ", ""),
            ("one two", "one two"),
            (" one  two\n\nthree ", "one two three"),
            ("café\u{a0}au\u{2003}lait", "café au lait"),
            ("naïve\u{b}\u{c}plan\u{3000}", "naïve plan"),
            ("計画　一", "計画 一"),
        ] {
            assert_eq!(folded(text.into()), expected, "{text:?}");
            assert!(is_folding(expected, text), "{text:?}");
            assert!(!is_folding("one", text) && !is_folding("one two three four", text));
        }
    }
}
