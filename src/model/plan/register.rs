//! The entries that a turn has listed, found by name.

use crate::{
    map::Map,
    model::plan::{Priority, Status, name::Name},
};

/// Every entry that a turn has listed, by position.
#[derive(Clone, Debug, Default)]
pub(super) struct Register {
    entries: Vec<Known>,
    /// Their names, one behind the other.
    names: String,
    /// Positions by the hashes of names; where another name has the same, by the next free number.
    index: Map<u64, u32>,
}

/// An entry that a turn has listed, as it was listed last.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Where its name stands: what tells it from others, its text or what the agent keeps in `_meta`
    /// for the purpose.
    name: (usize, usize),
    /// With white space folded; `None` where that is the name.
    text: Option<Box<str>>,
    pub(super) priority: Priority,
    pub(super) status: Status,
    /// Its first place in the last list; `None` when it is not there.
    pub(super) position: Option<u32>,
}

/// Bytes that are kept for the names of the next turn.
const ROOM: usize = 1 << 14;

impl Register {
    /// Makes room for so many entries, with names of so many bytes together, and no more than they
    /// take: there may be many plans of one or two entries.
    pub(super) fn reserve(&mut self, entries: usize, names: usize) {
        self.entries.reserve_exact(entries);
        self.names.reserve_exact(names);
        self.index.reserve(entries);
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.names.clear();
        self.names.shrink_to(ROOM);
        self.index.clear();
    }

    pub(super) fn entries(&self) -> &[Known] {
        &self.entries
    }

    pub(super) fn entries_mut(&mut self) -> &mut [Known] {
        &mut self.entries
    }

    pub(super) fn get(&self, position: u32) -> &Known {
        &self.entries[position as usize]
    }

    pub(super) fn name(&self, position: u32) -> &str {
        let (start, end) = self.get(position).name;
        &self.names[start..end]
    }

    /// The text of an entry, white space folded.
    pub(super) fn text(&self, position: u32) -> &str {
        self.get(position).text.as_deref().unwrap_or_else(|| self.name(position))
    }

    /// An entry has this text, white space folded.
    pub(super) fn reword(&mut self, position: u32, text: &str) {
        if self.text(position) != text {
            self.entries[position as usize].text = Some(text.into());
        }
    }

    /// An entry is listed at this place.
    pub(super) fn list(
        &mut self,
        position: u32,
        (priority, status): (&Priority, &Status),
        place: Option<u32>,
    ) {
        let own = &mut self.entries[position as usize];
        own.priority.clone_from(priority);
        own.status.clone_from(status);
        own.position = own.position.or(place);
    }

    /// The position of the entry of this name.
    pub(super) fn find(&self, name: &Name<'_>) -> Option<u32> {
        self.look(name).1
    }

    /// The position of the entry of this name, which is added if need be.
    pub(super) fn admit(&mut self, name: &Name<'_>) -> u32 {
        let (key, found) = self.look(name);
        found.unwrap_or_else(|| {
            let position = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
            self.index.insert(key, position);
            let name = self.put(&name.text);
            let (priority, status) = (Priority::Absent, Status::Absent);
            self.entries.push(Known { name, text: None, priority, status, position: None });
            position
        })
    }

    /// Entries are told by their texts from now on; of several of one text, the first is found.
    pub(super) fn go_by_text(&mut self) {
        self.index.clear();
        for position in 0..self.entries.len() {
            if let Some(text) = self.entries[position].text.take() {
                self.entries[position].name = self.put(&text);
            }
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            let (key, found) = self.look(&Name::new(self.name(position).into()));
            if found.is_none() {
                self.index.insert(key, position);
            }
        }
    }

    /// Where a name is to be found in the index, and the position that stands there.
    fn look(&self, name: &Name<'_>) -> (u64, Option<u32>) {
        let mut key = name.hash;
        loop {
            match self.index.get(&key) {
                Some(position) if *self.name(*position) != *name.text => key = key.wrapping_add(1),
                found => return (key, found.copied()),
            }
        }
    }

    fn put(&mut self, name: &str) -> (usize, usize) {
        let start = self.names.len();
        self.names.push_str(name);
        (start, self.names.len())
    }
}
