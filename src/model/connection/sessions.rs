//! The sessions of a connection by id, in the order of their first mention.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    json::Text,
    map::Map,
    model::{
        request::Request,
        session::{Session, SessionOrigin},
    },
};

/// All sessions that a message has mentioned.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    places: Map<Arc<str>, usize>,
    list: Vec<(Arc<str>, Session)>,
    /// Indices of early sessions that no answer has explained yet.
    early: Vec<usize>,
    /// For each parent, the indices of its children that it reports to be at work.
    busy: Map<Box<str>, BTreeSet<usize>>,
    /// Indices of the sessions that were unarchived, and not archived again.
    unarchived: BTreeSet<usize>,
}

impl Sessions {
    /// The session with an id that stands in a message.
    pub(super) fn named(&self, id: Text<'_>) -> Option<&Session> {
        self.list.get(self.place(&id.as_cow())?).map(|(_, session)| session)
    }

    /// The session with an id that stands in a message, for changes.
    pub(super) fn named_mut(&mut self, id: Text<'_>) -> Option<&mut Session> {
        let place = self.place(&id.as_cow())?;
        self.list.get_mut(place).map(|(_, session)| session)
    }

    /// The id as a string that outlives the message.
    pub(super) fn name(&self, id: Text<'_>) -> Arc<str> {
        let known = self.place(&id.as_cow()).map(|place| Arc::clone(&self.list[place].0));
        known.unwrap_or_else(|| id.as_cow().into())
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.place(id).map(|place| &self.list[place].1)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Session> {
        self.place(id).map(|place| &mut self.list[place].1)
    }

    /// The session that a request is about.
    pub(super) fn of(&mut self, request: &Request) -> Option<&mut Session> {
        self.get_mut(request.session_id.as_deref()?)
    }

    /// The session of this id, made by `new` when there is none; and whether there was one.
    pub(super) fn entry(
        &mut self,
        id: Text<'_>,
        new: impl FnOnce() -> Session,
    ) -> (&mut Session, bool) {
        let known = self.place(&id.as_cow());
        let place = known.unwrap_or_else(|| self.add(id, new()));
        (&mut self.list[place].1, known.is_some())
    }

    fn add(&mut self, id: Text<'_>, session: Session) -> usize {
        let place = self.list.len();
        if session.origin == SessionOrigin::Early {
            self.early.push(place);
        }
        let id: Arc<str> = id.as_cow().into();
        self.places.insert(Arc::clone(&id), place);
        if self.list.is_empty() {
            self.list.reserve_exact(1); // sessions are large, and most recordings hold one
        }
        self.list.push((id, session));
        place
    }

    /// All sessions, in the order of their first mention.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.list.iter().map(|(id, session)| (&**id, session))
    }

    /// All sessions, for changes.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&Arc<str>, &mut Session)> {
        self.list.iter_mut().map(|(id, session)| (&*id, session))
    }

    /// The early sessions since [`Sessions::settle_early`], in the order of their first mention.
    pub(super) fn early(&self) -> impl Iterator<Item = (&str, &Session)> {
        let early = self.early.iter().map(|place| &self.list[*place]);
        let early = early.filter(|(_, session)| session.origin == SessionOrigin::Early);
        early.map(|(id, session)| (&**id, session))
    }

    /// Notes that no session is being created any more.
    pub(super) fn settle_early(&mut self) {
        self.early.clear();
    }

    /// Notes that the parent of a session has announced it or reported its state.
    pub(super) fn follow_kin(&mut self, id: &str) {
        let Some(place) = self.place(id) else { return };
        let Some(parent) = &self.list[place].1.parent else { return };
        if parent.is_busy() {
            if let Some(busy) = self.busy.get_mut(&parent.session_id) {
                busy.insert(place);
            } else {
                self.busy.insert(parent.session_id.clone(), BTreeSet::from([place]));
            }
        } else if let Some(busy) = self.busy.get_mut(&parent.session_id) {
            busy.remove(&place);
        }
    }

    /// The children that their parent reports to be at work, in the order of their first mention.
    pub(super) fn busy_children(&self, parent: &str) -> impl Iterator<Item = (&str, &Session)> {
        let places = self.busy.get(parent).into_iter().flatten();
        places.map(|place| &self.list[*place]).map(|(id, session)| (&**id, session))
    }

    /// Notes that a session was archived or unarchived.
    pub(super) fn follow_archive(&mut self, id: &str) {
        let Some(place) = self.place(id) else { return };
        let archived = self.list[place].1.info.archived;
        if archived.is_some_and(|archived| !archived.is_archived) {
            self.unarchived.insert(place);
        } else {
            self.unarchived.remove(&place);
        }
    }

    /// The sessions that were unarchived, and not archived again, in the order of their first
    /// mention.
    pub(super) fn unarchived(&self) -> impl Iterator<Item = (&str, &Session)> {
        let unarchived = self.unarchived.iter().map(|place| &self.list[*place]);
        unarchived.map(|(id, session)| (&**id, session))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
