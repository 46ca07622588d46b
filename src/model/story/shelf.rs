//! What the connections that have ended showed of sessions, and what of it a replay owes.

use std::{cmp::Ordering, collections::VecDeque, sync::Arc};

use crate::{
    map::{self, Map, Set},
    model::{
        anchor::Anchor,
        request::facts::{FirstInstructions, Home},
        story::{
            identity,
            item::{AcceptedPrompt, Item, Items, When},
            replay::{Owed, OwedReplay, Place},
        },
    },
};

/// Most sessions that are remembered, of one file and of all files of a run. The oldest ones of a
/// file are forgotten.
const SESSIONS: usize = 10_000;
/// Most items (texts and tool calls) that are remembered of all sessions together.
const ITEMS: usize = 64 * SESSIONS;
/// Most connections that may have used one session. A session on more connections is not compared
/// across them.
const PARTS: usize = 32;
/// Most other sessions of the same connections whose texts are looked for in a replay, to notice
/// the wrong history.
const OTHERS: usize = 8;

/// What one connection showed of one session, kept after the end of the connection.
#[derive(Clone, Debug)]
struct Part {
    /// Number of the file, 0 without others, and number of the connection in the file.
    connection: (u32, u32),
    /// Name and version of the connection's agent, as `identity::agent` joins them; `None` when not
    /// given.
    agent: Option<Arc<str>>,
    /// The run of `drive` or `play` that made the recording, as its header names the run; `None`
    /// for other recordings.
    run: Option<Arc<str>>,
    facts: SessionFacts,
    items: Items,
    /// When the first message of the connection came.
    first: When,
    /// When the last message of the connection came.
    last: When,
    /// The first message behind what was lost last of the file in its time.
    lost: Option<When>,
}

impl Part {
    /// Gives everything the same time: only places tell the order within the file.
    fn set_times(&mut self, time: Option<f64>) {
        self.items.set_times(time);
        let whens = [&mut self.first, &mut self.last].into_iter().chain(&mut self.lost);
        whens.for_each(|when| when.time = time);
    }

    /// Whether the session was created here.
    fn is_birth(&self) -> bool {
        self.facts.born.is_some()
    }

    /// Whether a message that was lost here may have come between these two.
    fn may_lack(&self, after: When, before: When) -> bool {
        self.lost.is_some_and(|lost| {
            lost.order(after) != Some(Ordering::Less)
                && before.order(self.first) != Some(Ordering::Less)
        })
    }
}

/// The last plan of a session when a connection ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::model) enum LastPlan {
    /// No message has named a plan.
    #[default]
    Unnamed,
    /// All plans were removed or emptied.
    Gone,
    /// The item was shown to a client, by the update at this place.
    Shown(Anchor),
}

/// What a connection shows of a session apart from its history.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct SessionFacts {
    /// Place of the id in the result that created the session; `None` when the session was created
    /// elsewhere.
    pub(in crate::model) born: Option<Anchor>,
    /// The working directory that the session has on the connection; `None` when not given.
    pub(in crate::model) home: Option<Home>,
    /// The system prompt that the session was created with; `None` when that is not known.
    pub(in crate::model) instructions: Option<FirstInstructions>,
    /// The plan that was shown last, when the connection ended.
    pub(in crate::model) plan: LastPlan,
}

/// How another connection created a session, to compare with how it is attached.
#[derive(Debug)]
pub struct Origin {
    /// Place of the id in the result that created the session.
    pub born: Place,
    /// The working directory of the session, and its place; `None` when connections differ about
    /// it.
    pub home: Option<(Arc<str>, Place)>,
    /// Digest and place of the system prompt that the session was created with. The inner `None`
    /// means no system prompt; the outer one, that it is not known.
    pub instructions: Option<Option<(u64, Place)>>,
}

/// What connections that have ended showed of their sessions, so that later connections can be
/// compared.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    sessions: Map<Arc<str>, Vec<Part>>,
    /// The ids of `sessions`, the one that was seen first at the front. It is forgotten first.
    order: VecDeque<Arc<str>>,
    /// The ids of the sessions on each connection. The key is the number of the file and of the
    /// connection in it.
    of_connection: Map<(u32, u32), VecDeque<Arc<str>>>,
    /// The number of texts and tool calls that are kept of all sessions, against the limit `ITEMS`.
    items: usize,
    /// The first message behind what was lost last.
    lost: Option<When>,
    /// Whether times jump back, so that they do not tell the order.
    has_jumped: bool,
    /// Whether sessions were forgotten, because there was no room.
    has_forgotten: bool,
}

/// What all files of a run show of their sessions, so that a session can be compared across files.
#[derive(Clone, Debug, Default)]
pub struct Shelves {
    shelf: Shelf,
    /// Ids of sessions that are not compared, because there was no room for all their parts.
    dropped: Set<Arc<str>>,
    /// Whether the limits on memory have made a session incomplete, so that the user should be
    /// told.
    is_full: bool,
    /// The names of the files; the first one has the number 1.
    names: Vec<Arc<str>>,
    /// Numbers of the files whose times jump back.
    jumped: Set<u32>,
    /// The numbers of the files by name.
    numbers: Map<Arc<str>, u32>,
    /// Whether the order of the names is the order of events.
    is_by_name: bool,
    /// Hashes of the ids that more than one file names.
    shared: Set<u64>,
    unread: UnreadFiles,
}

/// What is known of the files of a run that could not be read to their ends: the sessions that may
/// continue there.
#[derive(Clone, Debug, Default)]
pub struct UnreadFiles {
    /// Hashes of the session ids in the readable parts of the files.
    sessions: Set<u64>,
    /// Whether a file may be about any session, since its readable part names none, or too many.
    may_hold_any: bool,
}

impl UnreadFiles {
    /// Notes a file that could not be read to its end. `sessions` has the hashes of the session ids
    /// in its readable part; `None` when it names none or too many.
    pub fn add(&mut self, sessions: Option<impl IntoIterator<Item = u64>>) {
        match sessions {
            Some(sessions) => self.sessions.extend(sessions),
            None => self.may_hold_any = true,
        }
    }

    /// Whether all files could be read to their ends.
    pub fn is_empty(&self) -> bool {
        !self.may_hold_any && self.sessions.is_empty()
    }

    /// Whether the unread parts may be about any session, so that no history is complete.
    pub fn may_hold_any(&self) -> bool {
        self.may_hold_any
    }

    fn may_hold(&self, session_id: &str) -> bool {
        self.may_hold_any || self.sessions.contains(&map::hash_of(session_id.as_bytes()))
    }
}

impl Shelves {
    /// Shelves of files with these names, which are empty so far. `shared`: hashes of the ids
    /// that more than one file names.
    pub fn new(names: Vec<Arc<str>>, shared: Set<u64>, unread: UnreadFiles) -> Self {
        let numbers = names.iter().cloned().zip(1..).collect();
        Self { names, numbers, shared, unread, ..Self::default() }
    }

    /// The number of the file with this name, from 1; 0 when it is not among the names.
    pub fn number(&self, name: &str) -> u32 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// Orders everything by the names of the files, as they were given, if some part has no time.
    pub fn order_untimed_by_name(&mut self) {
        let mut parts = self.shelf.sessions.values().flatten();
        self.is_by_name = parts.any(|part| part.first.time.is_none() || part.last.time.is_none());
        if self.is_by_name {
            let parts = self.shelf.sessions.values_mut().flatten();
            parts.for_each(|part| part.set_times(Some(part.connection.0.into())));
        }
    }

    /// The files that could not be read to their ends, and which sessions may continue in them.
    pub fn unread(&self) -> &UnreadFiles {
        &self.unread
    }

    /// Whether there was no room for all parts of some session, so that the user gets a note.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Notes that a file could not be read the second time, when its sessions should have been
    /// compared.
    pub fn lack(&mut self) {
        self.unread.may_hold_any = true;
    }

    /// Adds what a file showed of its sessions. `file` is the number of the file, from 1.
    pub fn add(&mut self, file: u32, shelf: Shelf) {
        let Shelf { mut sessions, order, has_jumped, has_forgotten, .. } = shelf;
        self.is_full |= has_forgotten;
        if has_jumped {
            self.jumped.insert(file);
        }
        for id in order {
            for mut part in sessions.remove(&id).into_iter().flatten() {
                if has_jumped {
                    part.set_times(None);
                }
                self.put(&id, part);
            }
        }
    }

    /// Adds what one connection showed of a session, if there is room. Without room, the session is
    /// forgotten and not compared any more.
    fn put(&mut self, session_id: &Arc<str>, part: Part) {
        let is_known = self.shelf.sessions.contains_key(session_id);
        let items = self.shelf.items + part.items.owed.len();
        if self.dropped.contains(session_id) {
            return;
        }
        // Sessions of one file take no room from those that are to be followed.
        if !self.is_shared(session_id)
            && (items > ITEMS / 2 || self.shelf.order.len() >= SESSIONS / 2)
        {
            return;
        }
        if items > ITEMS || (!is_known && self.shelf.order.len() >= SESSIONS) {
            self.is_full = true;
            if is_known {
                self.shelf.remove(session_id);
                self.dropped.insert(Arc::clone(session_id));
            }
            return;
        }
        self.shelf.put(session_id, part);
    }

    fn is_shared(&self, session_id: &str) -> bool {
        self.shared.contains(&map::hash_of(session_id.as_bytes()))
    }

    /// The name of the file with this number; `None` for 0 and unknown numbers.
    fn name(&self, file: u32) -> Option<Arc<str>> {
        self.names.get(usize::try_from(file).ok()?.checked_sub(1)?).cloned()
    }
}

/// What is known on a connection about sessions on earlier connections and in other files, and what
/// makes its own sessions comparable.
#[derive(Clone, Debug, Default)]
pub struct Stories {
    pub shelf: Shelf,
    /// What the other files of the run show of sessions; `None` when the file is checked by itself.
    pub shelves: Option<Arc<Shelves>>,
    /// Number of the file in `shelves` (what several files show of sessions), from 1; 0 when the
    /// file is not there.
    pub file: u32,
    /// The run of `drive` or `play` that made the recording; `None` for other recordings.
    pub run: Option<Arc<str>>,
    /// Whether the files are said to be all that happened to their sessions.
    pub is_said: bool,
    /// Name and version of the agent.
    pub agent: Option<Arc<str>>,
    /// Whether the recorder drops or masks texts, so that replays cannot be compared.
    pub is_lossy: bool,
    /// Ids of sessions whose history an extension may have changed before the connection used them.
    pub(in crate::model) changed: Set<Box<str>>,
    /// When the first message of the connection came; `None` before it.
    pub(in crate::model) began: Option<When>,
    /// The time of the file's last message on the recorder's clock, to notice jumps; `None` before
    /// any.
    latest: Option<f64>,
    /// Number of passages of the connection that could not be read so far, see
    /// [`Stories::note_lost`].
    lost: u64,
    /// Number of replays of the connection so far that were not compared, see
    /// [`Followed::is_contested`] and [`Items::is_waived`].
    pub uncompared: u64,
}

/// What other connections showed of a session, when it is proven that they had the same session.
struct Followed<'s> {
    parts: Vec<&'s Part>,
    /// Whether only what messages say keeps the session from being followed: two connections create
    /// it, or there are more connections or sessions than are remembered.
    is_contested: bool,
    /// Whether only clients of this run, or of the files, had the session.
    is_closed: bool,
    /// Seconds by which a message of another file must be earlier to count as earlier, since clocks
    /// of recorders may differ; 0 between recordings of one run of `acpcheck drive`.
    margin: f64,
}

/// A request that makes the agent replay a session's history.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct ReplayRequest<'s> {
    pub(in crate::model) session_id: &'s str,
    pub(in crate::model) now: When,
    /// What the connection has shown of the session before the request; `None` for nothing.
    pub(in crate::model) own: Option<&'s Items>,
    /// Whether the session was created on the connection of the request.
    pub(in crate::model) is_birth: bool,
}

impl Stories {
    /// The [`When`] of a message. `place` is its offset in the file; `at` is its time in seconds on
    /// the recorder's clock. The time is dropped when that clock does not count from 1970, or
    /// jumps.
    pub fn when(&self, place: u64, at: Option<f64>) -> When {
        /// The least time that is taken for seconds since 1970. Smaller ones count from the
        /// recorder's start.
        const ABSOLUTE: f64 = 1e8;
        if self.shelves.as_ref().is_some_and(|shelves| shelves.is_by_name) {
            return When { file: self.file, place, time: Some(self.file.into()) };
        }
        let is_jumping = self.shelf.has_jumped
            || self.shelves.as_ref().is_some_and(|shelves| shelves.jumped.contains(&self.file));
        let time = at.filter(|at| at.is_finite() && *at > ABSOLUTE && !is_jumping);
        When { file: self.file, place, time }
    }

    /// Takes offset and time of the next message of the file, to learn when the connection began
    /// and whether the recorder's clock jumps back.
    pub fn note_message(&mut self, place: u64, at: Option<f64>) {
        /// Seconds by which a time may be before the previous one without counting as a jump, since
        /// two directions may have two clocks.
        const SLACK: f64 = 1.0;
        if self.began.is_none() {
            self.began = Some(self.when(place, at));
        }
        let Some(at) = at else { return };
        self.shelf.has_jumped |= self.latest.is_some_and(|latest| at + SLACK < latest);
        self.latest = Some(at);
    }

    /// Takes how much the connection has lost, see [`Connection::lost`](crate::model::Connection::lost),
    /// before the message at this place.
    pub fn note_lost(&mut self, lost: u64, place: u64, at: Option<f64>) {
        if lost > self.lost {
            self.shelf.lost = Some(self.when(place, at));
        }
        self.lost = lost;
    }

    /// The first message behind what was lost last, since the connection began.
    fn lost(&self) -> Option<When> {
        let began = self.began?;
        self.shelf.lost.filter(|lost| lost.place >= began.place)
    }

    /// Whether a message was lost since the connection began, of whatever connection of the file.
    pub fn has_lost(&self) -> bool {
        self.lost().is_some()
    }

    /// Goes on at another connection of the file.
    pub fn at_next_connection(&mut self) -> Self {
        Self {
            shelf: std::mem::take(&mut self.shelf),
            shelves: self.shelves.clone(),
            file: self.file,
            run: self.run.clone(),
            is_said: self.is_said,
            agent: None,
            is_lossy: self.is_lossy,
            changed: std::mem::take(&mut self.changed),
            began: None,
            latest: self.latest,
            lost: 0,
            uncompared: 0,
        }
    }

    /// Keeps what the connection showed of a session, for later connections. `connection` is its
    /// number in the file; `last` is the time of its last message.
    pub(in crate::model) fn shelve(
        &mut self,
        session_id: &Arc<str>,
        connection: u32,
        facts: SessionFacts,
        items: Items,
        last: When,
    ) {
        if session_id.len() > identity::LONGEST {
            return;
        }
        let (agent, run) = (self.agent.clone(), self.run.clone());
        let (connection, first) = ((self.file, connection), self.began.unwrap_or(last));
        let lost = self.lost();
        let part = Part { connection, agent, run, facts, items, first, last, lost };
        self.shelf.put(session_id, part);
    }

    /// What other connections showed of the session, those of other files first. The number says
    /// how many of this file's connections have created it, as the first reading of the file found.
    fn parts(&self, session_id: &str) -> (Vec<&Part>, usize) {
        let of = |shelf: &'_ Shelf| -> usize {
            let parts = shelf.sessions.get(session_id).into_iter().flatten();
            parts.filter(|part| part.is_birth() && part.connection.0 == self.file).count()
        };
        let shelves = self.shelves.as_deref().filter(|_| self.file > 0);
        let elsewhere = shelves.and_then(|shelves| shelves.shelf.sessions.get(session_id));
        let here = self.shelf.sessions.get(session_id).into_iter().flatten();
        let mut parts: Vec<&Part> =
            elsewhere.into_iter().flatten().filter(|part| part.connection.0 != self.file).collect();
        parts.sort_by(|one, other| {
            let time = |part: &Part| part.items.opened.and_then(|it| it.time).unwrap_or(f64::MAX);
            time(one).total_cmp(&time(other)).then(one.connection.cmp(&other.connection))
        });
        parts.extend(here);
        // A short id is known by the run alone.
        if !self.is_said && !identity::is_drawn(session_id) {
            parts.retain(|part| part.run.is_some() && part.run == self.run);
        }
        (parts, shelves.map_or(0, |shelves| of(&shelves.shelf)))
    }

    /// The name of the file that has the part; `None` when it is the file being checked.
    fn name_of(&self, part: &Part) -> Option<Arc<str>> {
        let shelves = self.shelves.as_ref().filter(|_| part.connection.0 != self.file);
        shelves.and_then(|shelves| shelves.name(part.connection.0))
    }

    fn place_of(&self, part: &Part, at: Anchor) -> Place {
        Place { file: self.name_of(part), at }
    }

    /// Whether the part comes from the same agent and the same run of `drive` as this connection.
    fn is_same_agent(&self, part: &Part) -> bool {
        part.agent == self.agent && (self.is_said || part.run == self.run)
    }

    /// What other connections showed of a session; empty when it is not proven that it is the same
    /// session. `is_birth` says that this connection created the session.
    fn followed(&self, session_id: &str, is_birth: bool) -> Followed<'_> {
        let (known, later_births) = self.parts(session_id);
        let is_one_run = self.run.is_some() && known.iter().all(|part| part.run == self.run);
        let is_closed = is_one_run || self.is_said;
        let is_here = |part: &&&Part| part.connection.0 == self.file;
        // What another agent calls by this id is another session.
        let is_birth_of_agent = |part: &&&Part| part.is_birth() && part.agent == self.agent;
        let births: Vec<&&Part> = known.iter().filter(is_birth_of_agent).collect();
        let births_here = births.iter().copied().filter(is_here).count() + usize::from(is_birth);
        let births_elsewhere = births.iter().copied().filter(|part| !is_here(part)).count();
        let is_elsewhere = known.iter().any(|part| !is_here(&part));
        let may_lack =
            self.shelves.as_ref().is_some_and(|shelves| shelves.unread.may_hold(session_id));
        let is_one = births_here.max(later_births) + births_elsewhere <= 1
            && known.len() <= PARTS
            && !self.may_have_forgotten(session_id, known.is_empty());
        let is_comparable = self.agent.is_some()
            && (is_one_run || !is_elsewhere || !may_lack)
            && (is_closed || self.run.is_some() || identity::is_drawn(session_id));
        Followed {
            is_contested: is_comparable && !is_one,
            // Any other client that had the session may have cleared it.
            parts: if is_comparable && is_one { known } else { Vec::new() },
            is_closed,
            margin: if is_closed { 0.0 } else { 1.0 },
        }
    }

    /// Whether connections that had the session may have been forgotten, because there was no room.
    /// `is_unknown`: none is remembered.
    fn may_have_forgotten(&self, session_id: &str, is_unknown: bool) -> bool {
        let is_dropped = |shelves: &Arc<Shelves>| {
            shelves.dropped.contains(session_id)
                || shelves.shelf.has_too_many(session_id)
                || is_unknown && shelves.is_full && shelves.is_shared(session_id)
        };
        is_unknown && self.shelf.has_forgotten
            || self.shelf.has_too_many(session_id)
            || self.shelves.as_ref().is_some_and(is_dropped)
    }

    /// Counts a request for a replay that cannot be compared with earlier turns because of what
    /// messages say, see [`Followed::is_contested`] and [`Items::is_waived`], or because its agent
    /// says that it is another one. `is_waived` tells of the history on this connection.
    pub(in crate::model) fn note_replay(
        &mut self,
        session_id: &str,
        is_birth: bool,
        is_waived: bool,
    ) {
        let Followed { parts, is_contested, .. } = self.followed(session_id, is_birth);
        let is_waived = is_waived || parts.iter().any(|part| part.items.is_waived);
        // No two agents draw the same id: the one that had the session has another name now.
        let (known, _) = self.parts(session_id);
        let is_renamed = identity::is_drawn(session_id)
            && !known.is_empty()
            && known.iter().all(|part| part.agent != self.agent);
        let is_uncompared = is_contested || is_waived || is_renamed;
        self.uncompared += u64::from(is_uncompared && !self.is_lossy);
    }

    /// How another connection created a session that is attached now. `None` when that is not
    /// proven, or when the agent is another one.
    pub fn origin(&self, session_id: &str, now: When) -> Option<Origin> {
        let Followed { parts, .. } = self.followed(session_id, false);
        let birth = *parts.iter().find(|part| part.is_birth() && self.is_same_agent(part))?;
        if !birth.first.order(now).is_none_or(Ordering::is_lt) {
            return None;
        }
        let home = birth.facts.home.as_ref().filter(|home| {
            let homes = parts.iter().filter_map(|part| part.facts.home.as_ref());
            homes.into_iter().all(|other| other.path == home.path)
        });
        Some(Origin {
            born: self.place_of(birth, birth.facts.born?),
            home: home.map(|home| (Arc::clone(&home.path), self.place_of(birth, home.at))),
            instructions: birth.facts.instructions.map(|FirstInstructions(prompt)| {
                prompt.map(|(digest, at)| (digest, self.place_of(birth, at)))
            }),
        })
    }

    /// The place where an earlier connection deleted a session that no message has named since; the
    /// flag says that only clients of this run had it. `None` when that is not proven.
    pub fn deletion(&self, session_id: &str) -> Option<(Place, bool)> {
        let Followed { parts, is_closed, margin, .. } = self.followed(session_id, false);
        let began = self.began?;
        let mut deletions = parts.iter().filter_map(|part| Some((*part, part.items.deleted?)));
        let (by, (when, at)) = deletions.next_back()?;
        let is_used_before = parts.iter().all(|part| {
            let is_own = part.connection == by.connection;
            let last = if is_own { part.items.used } else { part.items.used.map(|_| part.last) };
            last.is_none_or(|last| last.order(when).is_some_and(Ordering::is_lt))
        });
        // A message that was lost may have brought it back.
        let is_whole = !self.has_lost() && parts.iter().all(|part| !part.may_lack(when, began));
        let is_proven = self.is_same_agent(by) && is_used_before && when.is_before(began, margin);
        (is_proven && is_whole).then(|| (self.place_of(by, at), is_closed))
    }

    /// The session of this id that an earlier connection of the closed story had created, that had a turn,
    /// and that a later one still had. `None` where it was deleted, or where that is not proven.
    pub fn older(&self, session_id: &str) -> Option<Place> {
        if self.run.is_none() && !(self.is_said && self.agent.is_some()) {
            return None;
        }
        let (parts, _) = self.parts(session_id);
        let began = self.began?;
        let is_known = parts.len() <= PARTS
            && !self.has_lost()
            && parts.iter().all(|part| {
                part.items.deleted.is_none() && part.lost.is_none() && self.is_same_agent(part)
            });
        let birth = *parts.iter().find(|part| part.is_birth() && part.items.has_turn())?;
        let has_outlived = parts.iter().any(|part| {
            part.connection != birth.connection
                && birth.last.is_before(part.first, 0.0)
                && part.items.shown.is_some_and(|shown| shown.is_before(began, 0.0))
        });
        let at = birth.facts.born.filter(|_| is_known && has_outlived)?;
        Some(self.place_of(birth, at))
    }

    /// The prompts that the agent accepted in the session on earlier connections, each with its
    /// place.
    pub(in crate::model) fn prompts(
        &self,
        request: ReplayRequest<'_>,
    ) -> Vec<(AcceptedPrompt, Place)> {
        let Followed { parts, margin, .. } = self.followed(request.session_id, request.is_birth);
        // What was lost may be a command that cleared the history, and the same prompt once more.
        let is_whole = |after: When| {
            !self.has_lost() && parts.iter().all(|part| !part.may_lack(after, request.now))
        };
        let is_earlier = |part: &&&Part| {
            self.is_same_agent(part)
                && part.last.is_before(request.now, margin)
                && is_whole(part.first)
        };
        let prompts = parts.iter().filter(is_earlier).flat_map(|part| {
            let own = part.items.prompts.iter();
            own.map(|prompt| (prompt.clone(), self.place_of(part, prompt.at)))
        });
        prompts.collect()
    }

    /// The plan that earlier connections showed last, in a session that this one attaches for the first
    /// time. `None` where that is not proven, or where its turn has not ended.
    pub(in crate::model) fn plan(&self, request: ReplayRequest<'_>) -> Option<Place> {
        let ReplayRequest { session_id, now, own, is_birth } = request;
        let is_known_here = is_birth || own.is_some_and(|own| own.opened.is_some());
        if is_known_here || self.is_lossy || self.has_lost() {
            return None;
        }
        let Followed { parts, margin, .. } = self.followed(session_id, is_birth);
        let earlier = parts.iter().filter(|part| part.last.is_before(now, margin));
        let with_plan = earlier.filter(|part| part.facts.plan != LastPlan::Unnamed);
        let by = *with_plan
            .max_by(|one, other| one.last.order(other.last).unwrap_or(Ordering::Equal))?;
        let is_apart = |other: &&Part| {
            other.connection == by.connection
                || other.last.is_before(by.first, margin)
                || by.last.is_before(other.first, margin)
        };
        let is_kept = |part: &&Part| {
            let items = &part.items;
            let mut cleared = items.cleared.into_iter().chain(items.deleted.map(|(when, _)| when));
            cleared.all(|cleared| cleared.order(by.first) == Some(Ordering::Less))
                && !part.may_lack(by.first, now)
        };
        let LastPlan::Shown(at) = by.facts.plan else { return None };
        let is_over =
            !by.items.is_open() && by.items.ends.iter().any(|(_, end)| end.place > at.span().start);
        let is_owed = self.is_same_agent(by)
            && is_over
            && parts.iter().all(|part| is_apart(part) && is_kept(part));
        is_owed.then(|| self.place_of(by, at))
    }

    /// What a replay owes.
    pub(in crate::model) fn owed(&self, request: ReplayRequest<'_>) -> OwedReplay {
        let ReplayRequest { session_id, now, own, is_birth } = request;
        if self.is_lossy {
            return OwedReplay::new(Vec::new(), Vec::new(), Vec::new(), self.run.is_some());
        }
        let Followed { parts, is_closed, margin, .. } = self.followed(session_id, is_birth);
        let cleared: Vec<When> = parts
            .iter()
            .map(|part| &part.items)
            .chain(own)
            .flat_map(|items| items.cleared.into_iter().chain(items.deleted.map(|(when, _)| when)))
            .chain(self.lost())
            .collect();
        let own_opened = own.and_then(|own| own.opened).unwrap_or(now);
        let is_up_to = |one: When, other: When| one.order(other).is_some_and(Ordering::is_le);
        // Whether an item is owed, and whether it came before for sure.
        let kept = |items: &Items, item: &Item, part: Option<&Part>| -> Option<bool> {
            let end = items.end_of(item)?;
            let opened = part.map_or(Some(own_opened), |part| part.items.opened);
            let last = part.map_or(now, |part| part.last);
            let intervals = parts
                .iter()
                .filter(|other| part.is_none_or(|part| part.connection != other.connection))
                .filter_map(|other| Some((other.items.opened?, other.last)))
                .chain(part.map(|_| (own_opened, now)));
            let is_alone = intervals.into_iter().all(|(others, others_last)| {
                let overlaps = opened
                    .is_some_and(|opened| is_up_to(others, last) && is_up_to(opened, others_last));
                !overlaps
                    || (end.order(others) == Some(Ordering::Less))
                    || opened.is_some_and(|opened| {
                        others.order(opened) == Some(Ordering::Less)
                            && end.order(opened) == Some(Ordering::Less)
                    })
            });
            let is_after = end.order(now).is_some_and(Ordering::is_ge);
            let is_cleared = !cleared.iter().all(|cleared| {
                cleared.order(end) == Some(Ordering::Less)
                    || now.order(*cleared) == Some(Ordering::Less)
            });
            // What was lost may be a command, or tell of a compaction.
            let may_be_cleared = parts.iter().any(|part| part.may_lack(end, now));
            (is_alone && !is_after && !is_cleared && !may_be_cleared)
                .then(|| end.is_before(now, margin))
        };
        let mut owed = Vec::new();
        let mut taken: Map<_, usize> = Map::default();
        let mut commands = Vec::new();
        for (number, part) in parts.iter().enumerate().filter(|(_, part)| self.is_same_agent(part))
        {
            let items = &part.items;
            let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
            let file = self.name_of(part);
            commands.extend_from_slice(&items.commands);
            for item in &items.owed {
                let Some(is_proven) = kept(items, item, Some(*part)) else { continue };
                if let Some(same) = taken.get(&item.likeness()) {
                    let same: &mut Owed = &mut owed[*same];
                    same.is_repeated |= same.item.is_live && item.is_live;
                    same.is_proven |= is_proven;
                } else {
                    taken.insert(item.likeness(), owed.len());
                    owed.push(Owed::new(item.clone(), file.clone(), number, is_proven));
                }
            }
        }
        if let Some(own) = own {
            commands.extend_from_slice(&own.commands);
            for item in &own.owed {
                if kept(own, item, None).is_some() {
                    owed.push(Owed::new(item.clone(), None, 0, true));
                }
            }
        }
        let others = self.others(session_id, &parts, own);
        OwedReplay::new(owed, others, commands, is_closed)
    }

    /// Texts and tool calls of other sessions of the same connections, each with a number for its
    /// session. Empty when a fork is involved, since forks share their history.
    fn others(&self, session_id: &str, parts: &[&Part], own: Option<&Items>) -> Vec<(u32, Item)> {
        let is_forked =
            own.is_some_and(|own| own.is_forked) || parts.iter().any(|part| part.items.is_forked);
        if is_forked {
            return Vec::new();
        }
        let mut others = Vec::new();
        let shelf = |home: (u32, u32)| match &self.shelves {
            Some(shelves) if home.0 != self.file => &shelves.shelf,
            _ => &self.shelf,
        };
        let sessions = parts
            .iter()
            .filter_map(|part| {
                Some((part.connection, shelf(part.connection).of_connection.get(&part.connection)?))
            })
            .flat_map(|(home, ids)| ids.iter().map(move |id| (home, id)))
            .filter(|(_, id)| ***id != *session_id)
            .take(OTHERS);
        for (number, (home, id)) in sessions.enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let known = shelf(home).sessions.get(id).into_iter().flatten();
            for part in known.filter(|part| part.connection == home) {
                if part.items.is_forked {
                    return Vec::new();
                }
                others.extend(part.items.owed.iter().map(|item| (number, item.clone())));
            }
        }
        others
    }
}

impl Shelf {
    /// Whether more connections have used the session than are remembered.
    fn has_too_many(&self, session_id: &str) -> bool {
        self.sessions.get(session_id).is_some_and(|parts| parts.len() > PARTS)
    }

    /// Adds what one connection showed of a session. Without room, the oldest sessions are
    /// forgotten.
    fn put(&mut self, session_id: &Arc<str>, part: Part) {
        while self.items + part.items.owed.len() > ITEMS
            || (self.order.len() >= SESSIONS && !self.sessions.contains_key(session_id))
        {
            let Some(oldest) = self.order.pop_front() else { break };
            self.remove(&oldest);
            self.has_forgotten = true;
        }
        if !self.sessions.contains_key(session_id) {
            self.order.push_back(Arc::clone(session_id));
        }
        let parts = self.sessions.entry(Arc::clone(session_id)).or_default();
        // One more than are followed tells that there are too many.
        if parts.len() <= PARTS {
            self.items += part.items.owed.len();
            self.of_connection
                .entry(part.connection)
                .or_default()
                .push_back(Arc::clone(session_id));
            parts.push(part);
        }
    }

    fn remove(&mut self, session_id: &Arc<str>) {
        for part in self.sessions.remove(session_id).into_iter().flatten() {
            self.items -= part.items.owed.len();
            if let Some(ids) = self.of_connection.get_mut(&part.connection) {
                // The oldest one stands first.
                if ids.front() == Some(session_id) {
                    ids.pop_front();
                } else {
                    ids.retain(|id| id != session_id);
                }
                if ids.is_empty() {
                    self.of_connection.remove(&part.connection);
                }
            }
        }
    }
}
