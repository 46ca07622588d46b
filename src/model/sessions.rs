//! The sessions of a connection by their ids.

use std::cell::Cell;

use crate::{map::Map, model::Session};

/// All sessions that a message has mentioned.
///
/// Most messages concern the session of the message before, and every rule asks for it: so the
/// place of the last one found is tried before the table.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    places: Map<Box<str>, usize>,
    list: Vec<(Box<str>, Session)>,
    last: Cell<usize>,
}

impl Sessions {
    fn place(&self, id: &str) -> Option<usize> {
        let last = self.last.get();
        if self.list.get(last).is_some_and(|(known, _)| **known == *id) {
            return Some(last);
        }
        let place = *self.places.get(id)?;
        self.last.set(place);
        Some(place)
    }

    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.place(id).map(|place| &self.list[place].1)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Session> {
        self.place(id).map(|place| &mut self.list[place].1)
    }

    /// The session that was asked for last.
    pub(super) fn last_mut(&mut self) -> Option<&mut Session> {
        self.list.get_mut(self.last.get()).map(|(_, session)| session)
    }

    /// The session of this id, made when there is none; and whether there was one.
    pub(super) fn entry(
        &mut self,
        id: &str,
        new: impl FnOnce() -> Session,
    ) -> (&mut Session, bool) {
        let known = self.place(id);
        let place = known.unwrap_or_else(|| {
            self.places.insert(id.into(), self.list.len());
            self.list.push((id.into(), new()));
            self.list.len() - 1
        });
        (&mut self.list[place].1, known.is_some())
    }

    /// All of them, in the order of their first mention.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.list.iter().map(|(id, session)| (&**id, session))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
