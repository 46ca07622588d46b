//! The plan entries that a turn has listed, by their keys.

use crate::{
    map::Map,
    model::{
        anchor::Anchor,
        session::plans::{
            entry_key::EntryKey,
            vocabulary::{EntryStatus, Priority},
        },
    },
    source::narrow,
};

/// Every entry that the lists of a turn have had, by the order of their first listing.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryTable {
    entries: Vec<KnownEntry>,
    /// The names of all entries, joined; each entry has its range in it.
    names: String,
    /// For each entry, the lower half of its name's hash, for a fast scan.
    tags: Vec<u32>,
    marks: Marks,
    /// Positions of entries by the hashes of their names; when another name has the same hash, by
    /// the next free number. Empty while there are at most 128 entries.
    index: Map<u64, u32>,
}

/// An entry that a list of the turn has had, as it was listed last.
#[derive(Clone, Debug)]
pub(super) struct KnownEntry {
    /// Byte range of the entry's name in the joined names. The name is the text of its `EntryKey`.
    name: (u32, u32),
    /// The entry's text with white space folded; `None` when that is the name. Boxed twice, since
    /// few entries have it.
    text: Option<Box<Box<str>>>,
    pub(super) priority: Priority,
    pub(super) status: EntryStatus,
    /// First position of the entry in the last list; `None` when it is not there.
    pub(super) position: Option<u32>,
    /// Place of the first list that leaves the entry out, since it was listed last; `None` while
    /// the last list has it.
    pub(super) left_out: Option<Anchor>,
}

/// A set of hashes of names, one bit for each; several hashes may share a bit. It shows without a
/// search that most new names are new.
#[derive(Clone, Debug, Default)]
struct Marks([u64; 4]);

impl Marks {
    fn add(&mut self, hash: u64) {
        let (word, bit) = Self::of(hash);
        self.0[word] |= bit;
    }

    /// Whether a name with this hash may have been added; `false` is certain.
    fn may_have(&self, hash: u64) -> bool {
        let (word, bit) = Self::of(hash);
        self.0[word] & bit != 0
    }

    /// Index of the word, and the bit in it, that stand for a hash. They depend on other bits of
    /// the hash than `tag`.
    fn of(hash: u64) -> (usize, u64) {
        ((hash >> 62) as usize, 1 << (hash >> 56 & 63))
    }
}

/// Tables with more entries than this find entries by a hash index, others by a scan.
const FEW: usize = 128;

impl EntryTable {
    pub(super) fn entries(&self) -> &[KnownEntry] {
        &self.entries
    }

    pub(super) fn get(&self, position: u32) -> &KnownEntry {
        &self.entries[position as usize]
    }

    pub(super) fn name(&self, position: u32) -> &str {
        let (start, end) = self.get(position).name;
        &self.names[start as usize..end as usize]
    }

    /// The text of the entry at this position of the table, with white space folded.
    pub(super) fn text(&self, position: u32) -> &str {
        match &self.get(position).text {
            Some(text) => text,
            None => self.name(position),
        }
    }

    /// Sets the text of the entry at this position of the table. `text` has its white space folded.
    pub(super) fn reword(&mut self, position: u32, text: &str) {
        if self.text(position) != text {
            self.entries[position as usize].text = Some(Box::new(text.into()));
        }
    }

    /// Notes that the current list of the plan has the entry `position` of the table at `place`,
    /// with this priority and status.
    pub(super) fn list(
        &mut self,
        position: u32,
        (priority, status): (&Priority, &EntryStatus),
        place: Option<u32>,
    ) {
        let own = &mut self.entries[position as usize];
        own.priority.clone_from(priority);
        own.status.clone_from(status);
        own.position = own.position.or(place);
        own.left_out = None;
    }

    /// Notes that the list at `list` leaves out an entry. `EntryTable::list` takes that back.
    pub(super) fn leave_out(&mut self, position: u32, list: Anchor) {
        let own = &mut self.entries[position as usize];
        own.position = None;
        own.left_out = own.left_out.or(Some(list));
    }

    /// Position of the entry with this key; `None` when the turn has not listed it.
    pub(super) fn find(&self, name: &EntryKey<'_>) -> Option<u32> {
        self.find_from(0, name)
    }

    /// Position of the entry with this key, at or after position `first`; `None` when there is
    /// none.
    fn find_from(&self, first: usize, name: &EntryKey<'_>) -> Option<u32> {
        if !self.marks.may_have(name.hash) {
            None
        } else if self.index.is_empty() {
            self.scan(first, name)
        } else {
            self.look(name).1
        }
    }

    /// Position of the entry with this key, which is added if it is new, and whether it is new. The
    /// first `known` entries are known not to have the key.
    pub(super) fn admit(&mut self, name: &EntryKey<'_>, known: usize) -> (u32, bool) {
        if let Some(position) = self.find_from(known, name) {
            return (position, false);
        }
        let position = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let own = self.put(&name.text);
        let (priority, status) = (Priority::Absent, EntryStatus::Absent);
        self.entries.push(KnownEntry {
            name: own,
            text: None,
            priority,
            status,
            position: None,
            left_out: None,
        });
        self.tags.push(tag(name.hash));
        self.marks.add(name.hash);
        self.update_index();
        (position, true)
    }

    /// Identifies entries by their texts from now on, and no longer by ids in `_meta`. Of several
    /// entries with one text, the first is found.
    pub(super) fn go_by_text(&mut self) {
        for place in 0..self.entries.len() {
            if let Some(text) = self.entries[place].text.take() {
                let name = EntryKey::new((&**text).into());
                self.tags[place] = tag(name.hash);
                self.marks.add(name.hash);
                self.entries[place].name = self.put(&text);
            }
        }
        self.index.clear();
        self.update_index();
    }

    /// Position of the first entry with this key, skipping `first` entries. Costs a scan of the
    /// tags.
    fn scan(&self, first: usize, name: &EntryKey<'_>) -> Option<u32> {
        let sought = tag(name.hash);
        let places = (first..self.tags.len()).filter(|place| self.tags[*place] == sought);
        let mut positions = places.filter_map(|place| u32::try_from(place).ok());
        positions.find(|position| *self.name(*position) == *name.text)
    }

    /// Adds the last entry to the index; all entries when the table has just become large.
    fn update_index(&mut self) {
        if self.entries.len() <= FEW {
            return;
        }
        let known = if self.index.is_empty() { 0 } else { self.entries.len() - 1 };
        for place in known..self.entries.len() {
            let position = u32::try_from(place).unwrap_or(u32::MAX);
            let (key, found) = self.look(&EntryKey::new(self.name(position).into()));
            if found.is_none() {
                self.index.insert(key, position);
            }
        }
    }

    /// The key of a name in the index, and the position that the index has for it; `None` for a new
    /// name.
    fn look(&self, name: &EntryKey<'_>) -> (u64, Option<u32>) {
        let mut key = name.hash;
        loop {
            match self.index.get(&key) {
                Some(position) if *self.name(*position) != *name.text => key = key.wrapping_add(1),
                found => return (key, found.copied()),
            }
        }
    }

    fn put(&mut self, name: &str) -> (u32, u32) {
        let start = narrow(self.names.len());
        self.names.push_str(name);
        (start, narrow(self.names.len()))
    }
}

/// The half of a hash by which most names differ.
#[expect(clippy::cast_possible_truncation, reason = "a part of it is enough")]
fn tag(hash: u64) -> u32 {
    hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_name_however_many_there_are() {
        let named = |number: usize| EntryKey::new(format!("entry {number}").into());
        let mut register = EntryTable::default();
        for number in 0..3 * FEW {
            let known = register.entries().len();
            let (first, is_new) = register.admit(&named(number), known);
            assert!(is_new, "{number}");
            assert_eq!(register.admit(&named(number), known), (first, false));
            assert_eq!(register.name(first), &*named(number).text);
            for other in [0, number / 2, number] {
                assert_eq!(register.find(&named(other)), u32::try_from(other).ok(), "{number}");
            }
            assert_eq!(register.find(&named(number + 1)), None);
        }
        for entries in [FEW, 2 * FEW] {
            register = EntryTable::default();
            for number in 0..entries {
                let (position, _) = register.admit(&named(number), number);
                register.reword(position, &format!("text {}", number / 2));
            }
            register.go_by_text();
            let text = |number: usize| EntryKey::new(format!("text {number}").into());
            for number in 0..entries / 2 {
                assert_eq!(register.find(&text(number)), u32::try_from(2 * number).ok());
            }
            assert_eq!(register.find(&named(0)), None);
        }
    }
}
