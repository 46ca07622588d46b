//! Compares a list of plan entries with the lists before it in its turn.

use crate::{
    json::Node,
    map::Map,
    model::session::plans::{
        Renewal,
        diff::{Diff, ListExtent, Match},
        entry_table::KnownEntry,
        identity::EntryIdentity,
        item_list::{Item, ItemList},
        patch,
        snapshot::{PlanEntry, PlanSnapshot},
        vocabulary::EntryStatus,
    },
};

impl Diff {
    /// Compares the entries of a plan with entries with `listing`, what the client shows of the
    /// plan; `None` when it shows none. A list from a turn before `renewed` is another plan.
    pub(super) fn of(
        snapshot: &PlanSnapshot<'_>,
        listing: Option<&ItemList>,
        turn: u32,
        renewed: Renewal,
    ) -> Self {
        let identity = EntryIdentity::of(snapshot.entries());
        let parent = EntryIdentity::parent(snapshot.plan);
        let mut diff = Self::by(identity, parent, snapshot, listing, turn, renewed.told);
        let claims_more = |listing: &&ItemList| {
            diff.identity != EntryIdentity::Text
                || diff.parent != listing.parent
                || listing.turn < renewed.told
        };
        if let Some(listing) = listing.filter(claims_more) {
            diff.is_contested =
                [&diff.identity, &EntryIdentity::Text].into_iter().any(|identity| {
                    let (identity, parent) = (identity.clone(), listing.parent);
                    let known = Some(listing);
                    let plain = Self::by(identity, parent, snapshot, known, turn, renewed.ordered);
                    let is_part = plain.resumed.is_some()
                        || plain.extent == ListExtent::Changes { omits_pending: true };
                    is_part && (plain.resumed, plain.extent) != (diff.resumed, diff.extent)
                });
        }
        diff
    }

    /// As [`Diff::of`], for entries that are identified in this way, in a plan of this parent.
    fn by(
        identity: EntryIdentity,
        parent: Option<u64>,
        snapshot: &PlanSnapshot<'_>,
        listing: Option<&ItemList>,
        turn: u32,
        renewed: u32,
    ) -> Self {
        let entries = snapshot.entries();
        let is_list = snapshot.list().is_some_and(Node::is_array)
            && snapshot.is_whole
            && entries.iter().all(|entry| entry.content.is_some())
            && patch::of_snapshot(snapshot).is_none();
        let mut diff = Self { identity, parent, is_list, is_first: true, ..Self::default() };
        if let Some(listing) = listing {
            diff.find(entries, listing);
            diff.is_first =
                turn != listing.turn || listing.is_blind || diff.parent != listing.parent;
        } else {
            diff.matches.resize(entries.len(), Match::default());
        }
        let is_small = matches!(entries.len(), 1 | 2);
        diff.strangers = u32::from(is_small);
        if is_list
            && !diff.is_first
            && let Some(listing) = listing
        {
            diff.compare(entries, listing);
        }
        if is_list && let Some(listing) = listing.filter(|listing| listing.turn >= renewed) {
            diff.carry_on(entries, listing, turn);
        }
        diff
    }

    /// Matches each entry of the new list with one that the turn has listed, and with its position
    /// in the preceding list. An entry that is there twice matches two positions.
    fn find(&mut self, entries: &[PlanEntry<'_>], listing: &ItemList) {
        let is_same = self.identity == listing.identity;
        let by_text = if is_same { Map::default() } else { listing.by_text() };
        let mut places = FreePositions::of(listing);
        self.matches.extend(entries.iter().enumerate().map(|(position, entry)| {
            let known = if is_same {
                listing.find(position, entry)
            } else {
                entry.wording().and_then(|text| by_text.get(text).copied())
            };
            let previous = known.and_then(|known| places.take(position, known));
            Match { known, previous }
        }));
    }

    fn compare(&mut self, entries: &[PlanEntry<'_>], listing: &ItemList) {
        let is_new = |found: &Match| found.known.is_none();
        if !entries.is_empty() && !self.matches.iter().any(is_new) {
            if self.is_changed(entries, listing) && self.is_distinct() {
                self.extent = ListExtent::Changes { omits_pending: self.omits_pending(listing) };
            }
            if entries.len() < listing.items.len() {
                self.keeps_only_changes = self.is_part(entries, listing) && self.is_distinct();
                self.lost = self
                    .gone(listing)
                    .filter(|(_, item)| item.status == EntryStatus::Pending)
                    .count();
                self.dropped = self.first_dropped(listing);
            }
        }
        self.resumed = self.first_resumed(entries, listing);
        let is_strange = || {
            self.matches.iter().all(|found| found.previous.is_none())
                && !is_reworded(entries, listing)
                && listing.items.iter().any(|item| item.status.is_finished() == Some(false))
        };
        if self.strangers > 0 && is_strange() {
            self.strangers += listing.strangers;
        }
    }

    /// Position, in the new list, of the first entry that the preceding list left out unfinished
    /// and that goes on in the new one; `None` when there is none.
    fn first_resumed(&self, entries: &[PlanEntry<'_>], listing: &ItemList) -> Option<usize> {
        let ListExtent::Changes { .. } = self.extent else { return None };
        if listing.extent != (ListExtent::Changes { omits_pending: true }) {
            return None;
        }
        self.known(listing).zip(entries).position(|(known, entry)| {
            known.position.is_none()
                && known.status.is_finished() == Some(false)
                && entry.status().progress() >= known.status.progress()
        })
    }

    /// Sets whether the first list of a turn only reports changes to the plan of the turn before. A
    /// new or unchanged entry, or one that goes back, begins a plan anew; so does an empty list
    /// before.
    fn carry_on(&mut self, entries: &[PlanEntry<'_>], listing: &ItemList, turn: u32) {
        let is_next = listing.turn != turn && !listing.is_blind && self.parent == listing.parent;
        // Before the first prompt on record, turns cannot be told apart.
        if !is_next || listing.turn == 0 || entries.is_empty() || listing.items.is_empty() {
            return;
        }
        let goes_on = |(found, entry): (&Match, &PlanEntry<'_>)| {
            found.known.is_some_and(|position| {
                let known = listing.known.get(position);
                entry.wording() == Some(&*known.text)
                    && known.status.progress().is_some()
                    && entry.status().progress() >= known.status.progress()
            })
        };
        self.carries_on = self.matches.iter().zip(entries).all(goes_on)
            && self.is_changed(entries, listing)
            && self.is_distinct();
        if self.carries_on {
            self.extent = ListExtent::Changes { omits_pending: self.omits_pending(listing) };
            self.resumed = self.first_resumed(entries, listing);
        }
    }

    /// What earlier lists of the turn tell about entries of the new list, for those entries that an
    /// earlier list has too.
    fn known<'a>(&'a self, listing: &'a ItemList) -> impl Iterator<Item = &'a KnownEntry> {
        self.matches.iter().filter_map(|found| Some(listing.known.get(found.known?)))
    }

    /// Whether the new list has fewer entries than the turn has listed, and each has changed its
    /// status or priority. Call this only when every entry has a match.
    fn is_changed(&self, entries: &[PlanEntry<'_>], listing: &ItemList) -> bool {
        entries.len() < listing.known.entries().len()
            && self.known(listing).zip(entries).all(|(known, entry)| {
                known.status != *entry.status() || known.priority != *entry.priority()
            })
    }

    /// Whether the new list leaves out an entry of the turn that was pending when it was listed
    /// last.
    fn omits_pending(&self, listing: &ItemList) -> bool {
        let mut listed: Vec<_> = self.matches.iter().filter_map(|found| found.known).collect();
        listed.sort_unstable();
        (0..).zip(listing.known.entries()).any(|(position, known)| {
            known.status == EntryStatus::Pending && listed.binary_search(&position).is_err()
        })
    }

    /// Position, in the preceding list, of the first unfinished entry that the new list leaves out;
    /// `None` when there is none.
    fn first_dropped(&self, listing: &ItemList) -> Option<usize> {
        let is_open = |item: &Item| item.status.is_finished() == Some(false);
        self.gone(listing).find(|(_, item)| is_open(item)).map(|(position, _)| position)
    }

    /// Whether the new list has no entry twice.
    fn is_distinct(&self) -> bool {
        let mut known: Vec<_> = self.matches.iter().map(|found| found.known).collect();
        known.sort_unstable();
        known.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Whether all entries of the new list are in the preceding list, in the same order, and have
    /// changed their status or priority.
    fn is_part(&self, entries: &[PlanEntry<'_>], listing: &ItemList) -> bool {
        self.matches.is_sorted_by(|one, next| one.previous < next.previous)
            && self.matches.iter().zip(entries).all(|(found, entry)| {
                found.previous.is_some_and(|previous| {
                    let item = &listing.items[previous as usize];
                    item.status != *entry.status() || item.priority != *entry.priority()
                })
            })
    }

    /// Whether the new list repeats the preceding list: the same entries, with the same statuses
    /// and priorities.
    pub fn is_repetition(&self, entries: &[PlanEntry<'_>], listing: &ItemList) -> bool {
        self.matches.len() == listing.items.len()
            && self.matches.iter().zip(entries).zip(&listing.items).all(|((found, entry), item)| {
                found.known == Some(item.known)
                    && item.status == *entry.status()
                    && item.priority == *entry.priority()
            })
    }

    /// The entries of the preceding list (`listing`) that the new list leaves out, with their
    /// positions (from 0) there.
    pub fn gone<'a>(&self, listing: &'a ItemList) -> impl Iterator<Item = (usize, &'a Item)> {
        let mut kept: Vec<_> = self.matches.iter().filter_map(|found| found.known).collect();
        kept.sort_unstable();
        listing
            .items
            .iter()
            .enumerate()
            .filter(move |(_, item)| kept.binary_search(&item.known).is_err())
    }

    /// For each entry of the new list, the entry of the preceding list (`listing`) that it
    /// continues; `None` for a new entry.
    pub fn kept<'a>(
        &'a self,
        listing: Option<&'a ItemList>,
    ) -> impl Iterator<Item = Option<&'a Item>> {
        self.matches.iter().map(move |found| Some(&listing?.items[found.previous? as usize]))
    }
}

/// The positions of a list that no entry of the next list has been matched with, so that each is
/// matched once.
struct FreePositions<'l> {
    listing: &'l ItemList,
    /// For each position in the list, whether an entry of the next list was matched with it; empty
    /// before the first match.
    is_taken: Vec<bool>,
    /// An index for lists with repeated entries, made when first needed: at 0, the first free
    /// position of each known entry; at 1, for each position, the next one with the same entry.
    chains: Option<[Vec<Option<u32>>; 2]>,
}

impl<'l> FreePositions<'l> {
    fn of(listing: &'l ItemList) -> Self {
        Self { listing, is_taken: Vec::new(), chains: None }
    }

    /// Takes and returns the first free position of the entry `known`; `position` is tried first.
    /// `None` when all are taken.
    fn take(&mut self, position: usize, known: u32) -> Option<u32> {
        let Self { listing, is_taken, chains } = self;
        let first = listing.known.get(known).position?;
        is_taken.resize(listing.items.len(), false);
        let is_own =
            |place: u32| listing.items.get(place as usize).map(|it| it.known) == Some(known);
        let likely = u32::try_from(position).ok().filter(|place| is_own(*place));
        let mut free = [likely, Some(first)].into_iter().flatten();
        let place = free.find(|place| !is_taken[*place as usize]).or_else(|| {
            let [firsts, next] = chains.get_or_insert_with(|| chains_of(listing));
            let first = &mut firsts[known as usize];
            while let Some(place) = first.filter(|place| is_taken[*place as usize]) {
                *first = next[place as usize];
            }
            *first
        })?;
        is_taken[place as usize] = true;
        Some(place)
    }
}

fn chains_of(listing: &ItemList) -> [Vec<Option<u32>>; 2] {
    let mut firsts = vec![None; listing.known.entries().len()];
    let mut next = vec![None; listing.items.len()];
    for (place, item) in listing.items.iter().enumerate().rev() {
        let first = &mut firsts[item.known as usize];
        next[place] = *first;
        *first = u32::try_from(place).ok();
    }
    [firsts, next]
}

/// Whether any entry has the position of one with the same text in another tense, such as "Running
/// tests" for "Run tests".
fn is_reworded(entries: &[PlanEntry<'_>], listing: &ItemList) -> bool {
    entries.iter().zip(&listing.items).any(|(entry, item)| {
        entry.wording().is_some_and(|text| is_inflected(listing.text(item), text))
    })
}

/// Whether two texts differ only in the ending of their first word.
fn is_inflected(one: &str, other: &str) -> bool {
    let split = |text: &str| -> Option<(String, String)> {
        let (verb, rest) = text.split_once(' ')?;
        Some((stem(verb), rest.to_lowercase()))
    };
    one != other && split(one).is_some_and(|one| split(other) == Some(one))
}

/// An English verb without its ending and a doubled letter before it, in lower case.
fn stem(verb: &str) -> String {
    let mut stem = verb.to_lowercase();
    for ending in ["ing", "ed", "e"] {
        if stem.len() > ending.len() + 2 && stem.ends_with(ending) {
            stem.truncate(stem.len() - ending.len());
            break;
        }
    }
    // "Running", "planned".
    let mut letters = stem.chars().rev();
    if letters.next().is_some_and(|last| letters.next() == Some(last)) {
        stem.pop();
    }
    stem
}
