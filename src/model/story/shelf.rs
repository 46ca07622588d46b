//! What the connections that have ended showed of sessions, and what of it a replay owes.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    map::Map,
    model::story::{
        identity,
        item::{Item, Items, When},
        replay::{Owed, OwedReplay},
    },
};

/// Sessions that are kept; the oldest are forgotten.
const SESSIONS: usize = 10_000;
/// Connections of a session. One that more connections name is not followed.
const PARTS: usize = 32;
/// Other sessions of a story whose items are looked for in a replay.
const OTHERS: usize = 8;

/// What one connection showed of a session.
#[derive(Clone, Debug)]
struct Part {
    /// Number of the connection in its file.
    connection: u32,
    /// Name and version of the agent.
    agent: Option<Arc<str>>,
    /// Number of the run of `drive` or `play`.
    run: Option<Arc<str>>,
    /// Whether the session was created here.
    is_birth: bool,
    items: Items,
    /// The last message of the connection.
    last: When,
}

/// What the connections that have ended showed of sessions.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    sessions: Map<Arc<str>, Vec<Part>>,
    /// Their ids, the oldest first.
    order: VecDeque<Arc<str>>,
    /// The sessions of each connection.
    of_connection: Map<u32, Vec<Arc<str>>>,
}

/// What is known at a connection of the sessions of others, and of itself.
#[derive(Clone, Debug, Default)]
pub struct Stories {
    pub shelf: Shelf,
    /// When the recording began, in seconds since 1970, if its times count from there.
    pub started: Option<f64>,
    /// Number of the run of `drive` or `play`.
    pub run: Option<Arc<str>>,
    /// Name and version of the agent.
    pub agent: Option<Arc<str>>,
    /// Whether the recorder drops or masks what a replay is compared by.
    pub is_lossy: bool,
}

/// A request for a replay.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct ReplayRequest<'s> {
    pub(in crate::model) session_id: &'s str,
    pub(in crate::model) now: When,
    /// What this connection showed of the session so far.
    pub(in crate::model) own: Option<&'s Items>,
    /// Whether the session was created on this connection.
    pub(in crate::model) is_birth: bool,
}

impl Stories {
    /// The time of a message that came at this time on the recorder's clock.
    pub fn when(&self, place: u64, at: Option<f64>) -> When {
        /// Times of a clock that counts from 1970.
        const ABSOLUTE: f64 = 1e8;
        let at = at.filter(|at| at.is_finite());
        let time = match self.started {
            Some(started) => at.map(|at| started + at),
            None => at.filter(|at| *at > ABSOLUTE),
        };
        When { place, time }
    }

    /// Goes on at another connection of the file.
    pub fn at_next_connection(&mut self) -> Self {
        Self {
            shelf: std::mem::take(&mut self.shelf),
            started: self.started,
            run: self.run.clone(),
            agent: None,
            is_lossy: self.is_lossy,
        }
    }

    /// Keeps what the connection with this number showed of a session.
    pub(in crate::model) fn shelve(
        &mut self,
        session_id: &Arc<str>,
        connection: u32,
        is_birth: bool,
        items: Items,
        last: When,
    ) {
        let (agent, run) = (self.agent.clone(), self.run.clone());
        self.shelf.put(session_id, Part { connection, agent, run, is_birth, items, last });
    }

    /// What a replay owes.
    pub(in crate::model) fn owed(&self, request: ReplayRequest<'_>) -> OwedReplay {
        let ReplayRequest { session_id, now, own, is_birth } = request;
        let is_closed = self.run.is_some();
        if self.is_lossy {
            return OwedReplay::new(Vec::new(), Vec::new(), Vec::new(), is_closed);
        }
        let known = self.shelf.sessions.get(session_id).map_or(&[][..], Vec::as_slice);
        let births = known.iter().filter(|part| part.is_birth).count() + usize::from(is_birth);
        let is_followed = births <= 1
            && known.len() <= PARTS
            && self.agent.is_some()
            && (is_closed || identity::is_drawn(session_id));
        // Any other client that had the session may have cleared it.
        let parts: Vec<&Part> = if is_followed { known.iter().collect() } else { Vec::new() };
        let is_same = |part: &Part| part.agent == self.agent && part.run == self.run;
        let cleared = parts.iter().filter_map(|part| part.items.cleared).map(|it| it.place).max();
        let own_cleared = own.and_then(|own| own.cleared).map(|it| it.place);
        let cleared = cleared.max(own_cleared);
        let is_kept = |items: &Items, item: &Item, opened: Option<When>, last: When| {
            let Some(end) = items.end_of(item) else { return false };
            let is_alone = parts.iter().all(|other| {
                let others = other.items.opened;
                let is_itself = others == opened && other.last == last;
                let overlap = others.zip(opened).filter(|(others, opened)| {
                    !is_itself && others.place <= last.place && opened.place <= other.last.place
                });
                overlap.is_none_or(|(others, opened)| end.place < others.place.max(opened.place))
            });
            is_alone && end.place < now.place && cleared.is_none_or(|place| place < end.place)
        };
        let mut owed = Vec::new();
        let mut commands = Vec::new();
        for (number, part) in parts.iter().enumerate().filter(|(_, part)| is_same(part)) {
            let Part { items, last, .. } = part;
            let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
            commands.extend_from_slice(&items.commands);
            for item in &items.owed {
                let is_new = !owed.iter().any(|own: &Owed| own.item.is_like(item));
                if is_new && is_kept(items, item, items.opened, *last) {
                    owed.push(Owed::new(item.clone(), None, number, true));
                }
            }
        }
        if let Some(own) = own {
            commands.extend_from_slice(&own.commands);
            for item in &own.owed {
                if is_kept(own, item, own.opened, now) {
                    owed.push(Owed::new(item.clone(), None, 0, true));
                }
            }
        }
        let others = self.shelf.others(session_id, &parts, own);
        OwedReplay::new(owed, others, commands, is_closed)
    }
}

impl Shelf {
    fn put(&mut self, session_id: &Arc<str>, part: Part) {
        self.of_connection.entry(part.connection).or_default().push(Arc::clone(session_id));
        if let Some(parts) = self.sessions.get_mut(session_id) {
            // One more tells that there are too many.
            if parts.len() <= PARTS {
                parts.push(part);
            }
            return;
        }
        if self.order.len() == SESSIONS
            && let Some(oldest) = self.order.pop_front()
        {
            self.sessions.remove(&oldest);
        }
        self.order.push_back(Arc::clone(session_id));
        self.sessions.insert(Arc::clone(session_id), vec![part]);
    }

    /// Items of other sessions of the same connections, each with the number of its session. None where
    /// one session may have the history of the other.
    fn others(&self, session_id: &str, parts: &[&Part], own: Option<&Items>) -> Vec<(u32, Item)> {
        let is_forked =
            own.is_some_and(|own| own.is_forked) || parts.iter().any(|part| part.items.is_forked);
        if is_forked {
            return Vec::new();
        }
        let mut others = Vec::new();
        let sessions = parts
            .iter()
            .filter_map(|part| Some((part.connection, self.of_connection.get(&part.connection)?)))
            .flat_map(|(connection, ids)| ids.iter().map(move |id| (connection, id)))
            .filter(|(_, id)| ***id != *session_id)
            .take(OTHERS);
        for (number, (connection, id)) in sessions.enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let known = self.sessions.get(id).into_iter().flatten();
            for part in known.filter(|part| part.connection == connection) {
                if part.items.is_forked {
                    return Vec::new();
                }
                others.extend(part.items.owed.iter().map(|item| (number, item.clone())));
            }
        }
        others
    }
}
