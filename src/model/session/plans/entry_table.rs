//! The plan entries that a turn has listed, by their keys.

use std::sync::Arc;

use crate::{
    map::Map,
    model::{
        anchor::Anchor,
        session::plans::vocabulary::{EntryStatus, Priority},
    },
};

/// All plan entries that the lists of a turn have had, in the order in which they were first listed.
/// Rules find here what a later list leaves out.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryTable {
    entries: Vec<KnownEntry>,
    /// Position of each entry by its key: its text with white space folded, or an id in its `_meta`. Of
    /// several entries with one text, the first one.
    positions: Map<Arc<str>, u32>,
}

/// An entry of a plan that was listed in the turn, as its last listing shows it.
#[derive(Clone, Debug)]
pub(super) struct KnownEntry {
    /// The entry's text with white space folded.
    pub(super) text: Arc<str>,
    pub(super) priority: Priority,
    pub(super) status: EntryStatus,
    /// First position of the entry in the last list; `None` when it is not there.
    pub(super) position: Option<u32>,
    /// Place of the first list since then that leaves the entry out; `None` while the last list has
    /// it.
    pub(super) left_out: Option<Anchor>,
}

impl EntryTable {
    pub(super) fn entries(&self) -> &[KnownEntry] {
        &self.entries
    }

    pub(super) fn get(&self, position: u32) -> &KnownEntry {
        &self.entries[position as usize]
    }

    /// Sets the text of the entry at this position of the table. `text` has its white space folded.
    pub(super) fn reword(&mut self, position: u32, text: &str) {
        let own = &mut self.entries[position as usize];
        if *own.text != *text {
            own.text = text.into();
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
    pub(super) fn find(&self, key: &str) -> Option<u32> {
        self.positions.get(key).copied()
    }

    /// Position of the entry with this key. A new one is added, with the key as its text.
    pub(super) fn admit(&mut self, key: &str) -> u32 {
        if let Some(position) = self.find(key) {
            return position;
        }
        let position = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = key.into();
        self.positions.insert(Arc::clone(&text), position);
        self.entries.push(KnownEntry {
            text,
            priority: Priority::Absent,
            status: EntryStatus::Absent,
            position: None,
            left_out: None,
        });
        position
    }

    /// Identifies entries by their texts from now on, and no longer by ids in `_meta`. Of several
    /// entries with one text, the first is found.
    pub(super) fn go_by_text(&mut self) {
        self.positions.clear();
        for (position, entry) in (0..).zip(&self.entries) {
            self.positions.entry(Arc::clone(&entry.text)).or_insert(position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_key_then_by_text() {
        let mut table = EntryTable::default();
        for number in 0..300 {
            let id = format!("id {number}");
            assert_eq!(table.find(&id), None);
            let position = table.admit(&id);
            assert_eq!((table.admit(&id), table.find(&id)), (position, Some(position)));
            assert_eq!(*table.get(position).text, *id);
            table.reword(position, &format!("text {}", number / 2));
            assert_eq!(table.find(&id), Some(position));
        }
        table.go_by_text();
        for number in 0..300 {
            assert_eq!(table.find(&format!("text {}", number / 2)), Some(number / 2 * 2));
            assert_eq!(table.find(&format!("id {number}")), None);
        }
    }
}
