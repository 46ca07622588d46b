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

/// Most sessions of a connection that are followed though no message has set them up. Peers that keep to
/// the protocol name few such sessions, and only in recordings that begin late.
const ASSUMED: usize = 4096;

/// The sessions that messages of a connection have mentioned, by id and in the order of their first
/// mention.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    places: Map<Arc<str>, usize>,
    list: Vec<(Arc<str>, Session)>,
    /// Indices in `list` of sessions that the agent named while one was being created, as long as
    /// no answer has settled which one it is.
    early: Vec<usize>,
    /// For each parent session, by id: indices in `list` of its subagents that are at work, as the
    /// parent reports.
    busy: Map<Box<str>, BTreeSet<usize>>,
    /// Indices of the sessions that `session/unarchive` restored and that were not archived again.
    unarchived: BTreeSet<usize>,
    /// Number of sessions that were assumed at their first mention.
    assumed: usize,
    /// Number of calls that name a session beyond the [`ASSUMED`] ones.
    pub(super) unfollowed: u64,
}

impl Sessions {
    /// The session with this id, given as a JSON string; `None` when no message has mentioned it.
    pub(super) fn named(&self, id: Text<'_>) -> Option<&Session> {
        self.list.get(self.place(&id.as_cow())?).map(|(_, session)| session)
    }

    /// Mutable access to the session with this id, given as a JSON string; `None` when no message
    /// has mentioned it.
    pub(super) fn named_mut(&mut self, id: Text<'_>) -> Option<&mut Session> {
        let place = self.place(&id.as_cow())?;
        self.list.get_mut(place).map(|(_, session)| session)
    }

    /// The session id as a string that outlives the message. Shared, not copied, for a known
    /// session.
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

    /// The session that a request names in its `sessionId`; `None` without one or for an unknown
    /// session.
    pub(super) fn of(&mut self, request: &Request) -> Option<&mut Session> {
        self.get_mut(request.session_id.as_deref()?)
    }

    /// The session with this id, made by `new` when there is none; and whether it was known before.
    pub(super) fn entry(
        &mut self,
        id: Text<'_>,
        new: impl FnOnce() -> Session,
    ) -> (&mut Session, bool) {
        let known = self.place(&id.as_cow());
        let place = known.unwrap_or_else(|| self.add(id, new()));
        (&mut self.list[place].1, known.is_some())
    }

    /// The session with this id that a call names, made by `new` when there is none. `None` when it is
    /// assumed and there are too many such sessions.
    pub(super) fn mention(
        &mut self,
        id: Text<'_>,
        new: impl FnOnce() -> Session,
    ) -> Option<&mut Session> {
        let place = if let Some(place) = self.place(&id.as_cow()) {
            place
        } else {
            let session = new();
            if matches!(session.origin, SessionOrigin::Assumed | SessionOrigin::Early) {
                if self.assumed == ASSUMED {
                    self.unfollowed += 1;
                    return None;
                }
                self.assumed += 1;
            }
            self.add(id, session)
        };
        self.list.get_mut(place).map(|(_, session)| session)
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

    /// All sessions with their ids, in the order in which messages first named them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.list.iter().map(|(id, session)| (&**id, session))
    }

    /// All sessions with their ids, to change them, in the order in which messages first named
    /// them.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&Arc<str>, &mut Session)> {
        self.list.iter_mut().map(|(id, session)| (&*id, session))
    }

    /// Sessions that the agent named while one was being created, with their ids, in the order of
    /// their first mention.
    pub(super) fn early(&self) -> impl Iterator<Item = (&str, &Session)> {
        let early = self.early.iter().map(|place| &self.list[*place]);
        let early = early.filter(|(_, session)| session.origin == SessionOrigin::Early);
        early.map(|(id, session)| (&**id, session))
    }

    /// Forgets the early sessions, since no `session/new` or `session/fork` waits any more.
    pub(super) fn settle_early(&mut self) {
        self.early.clear();
    }

    /// Updates the index of working subagents after the parent of session `id` has announced it or
    /// reported its state.
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

    /// Subagents that session `parent` reports to be at work, with their ids, in the order of their
    /// first mention.
    pub(super) fn busy_children(&self, parent: &str) -> impl Iterator<Item = (&str, &Session)> {
        let places = self.busy.get(parent).into_iter().flatten();
        places.map(|place| &self.list[*place]).map(|(id, session)| (&**id, session))
    }

    /// Updates the index of unarchived sessions after session `id` was archived or unarchived.
    pub(super) fn follow_archive(&mut self, id: &str) {
        let Some(place) = self.place(id) else { return };
        let archived = self.list[place].1.info.archived;
        if archived.is_some_and(|archived| !archived.is_archived) {
            self.unarchived.insert(place);
        } else {
            self.unarchived.remove(&place);
        }
    }

    /// Sessions that `session/unarchive` restored and that were not archived again, with their ids,
    /// in the order of their first mention.
    pub(super) fn unarchived(&self) -> impl Iterator<Item = (&str, &Session)> {
        let unarchived = self.unarchived.iter().map(|place| &self.list[*place]);
        unarchived.map(|(id, session)| (&**id, session))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
