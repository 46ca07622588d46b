//! Requests in flight and the answers they got. The only place that knows ids.
//!
//! Each side numbers its own requests, and both begin at 0: keys are (side, id), ids are compared
//! with their JSON type.

use std::collections::{HashMap, VecDeque, hash_map};

use crate::{
    event::Standing,
    json::{Kind, Node, Text},
    model::{Facts, Place},
    protocol::Side,
};

/// The `id` of a request, with its JSON type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    Null,
    Number(i64),
    Text(Box<str>),
    /// Neither, as written: a fraction, a boolean, an object.
    Other(Box<str>),
}

impl Id {
    pub fn of(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::String => Self::Text(node.text().map_or_else(Box::default, Text::to_boxed)),
            Kind::Number => match node.integer() {
                Some(number) => Self::Number(number),
                None => Self::Other(node.raw().into()),
            },
            _ => Self::Other(node.raw().into()),
        }
    }

    /// The characters of the id whatever its type, to find an id that changed its type.
    fn characters(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) | Self::Other(text) => text.to_string(),
        }
    }
}

impl std::fmt::Display for Id {
    /// As JSON writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: Id,
    pub method: Box<str>,
    /// Who sent it; `None` for an extension method of an unlabelled recording.
    pub sender: Option<Side>,
    /// The whole message.
    pub at: Place,
    /// Its `id`.
    pub id_at: Place,
    /// Its `method`.
    pub method_at: Place,
    /// Number of the message in its connection.
    pub number: u64,
    /// Seconds on the recorder's clock.
    pub time: Option<f64>,
    /// The session that its params name.
    pub session_id: Option<Box<str>>,
    /// Whether the method is one that the connection's version defines.
    pub defined: bool,
    pub standing: Standing,
    /// The batch it came in, by its index in [`super::batch::Batches`].
    pub batch: Option<usize>,
    /// Whether a rule has found fault with the request as such: how it is answered then proves
    /// nothing.
    pub flawed: bool,
    /// Whether nobody can tell if it was answered, because a request of the other side had the same
    /// id: what answers it now proves nothing, nor does its waiting.
    pub doubted: bool,
    /// The first `$/cancel_request` that names it, and that message's number.
    pub cancelled: Option<(Place, u64)>,
    /// What its answer will be judged by.
    pub facts: Facts,
}

/// An answered request.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub request: Place,
    pub answer: Place,
    /// Who sent the request.
    pub asker: Option<Side>,
    /// Number of the answering message in its connection.
    pub number: u64,
    /// How often the id has been used.
    pub uses: u32,
}

/// The requests of one side, or of senders unknown.
#[derive(Clone, Debug, Default)]
struct Issued {
    /// The oldest first; never an empty queue.
    open: HashMap<Id, VecDeque<Request>>,
    done: HashMap<Id, Done>,
}

/// Pairs answers with requests.
#[derive(Clone, Debug, Default)]
pub struct Correlator {
    issued: [Issued; 3],
    /// Requests that an answer was given to which may have been meant for another, by their ids:
    /// the other one is [`Request::doubted`].
    aside: HashMap<Id, Request>,
    /// The `id` of the last request of each.
    last: [Option<Place>; 3],
    /// Ids of messages that are neither calls nor responses: a reader may answer them.
    malformed: HashMap<Id, Place>,
}

/// What a response's id finds.
#[derive(Clone, Debug)]
pub enum Found {
    /// The request answered, and whether another was as good a candidate.
    Request(Request, Ambiguity),
    /// An outstanding request with the same characters in another JSON type.
    OtherType(Request),
    /// The id was answered before.
    Answered(Done),
    Unknown,
}

/// How well a response fits a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    Not,
    /// It has members, none of them known for such a request.
    Barely,
    /// As it would many other requests.
    Loosely,
    /// It has what the answer to such a request is known to have.
    Well,
}

/// Whether a pairing is sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ambiguity {
    Sure,
    /// Requests of both sides had the id.
    Ambiguous,
}

const SLOTS: [Option<Side>; 3] = [Some(Side::Client), Some(Side::Agent), None];

fn slot(side: Option<Side>) -> usize {
    match side {
        Some(Side::Client) => 0,
        Some(Side::Agent) => 1,
        None => 2,
    }
}

impl Correlator {
    /// The oldest outstanding request of this side with this id.
    pub fn outstanding(&self, side: Option<Side>, id: &Id) -> Option<&Request> {
        self.issued[slot(side)].open.get(id)?.front()
    }

    /// The oldest outstanding request of any sender with this id.
    pub fn outstanding_of_any(&self, id: &Id) -> Option<&Request> {
        SLOTS
            .into_iter()
            .filter_map(|side| self.outstanding(side, id))
            .min_by_key(|open| open.number)
    }

    /// How the last request of this side with this id was answered.
    pub fn answered(&self, side: Option<Side>, id: &Id) -> Option<&Done> {
        self.issued[slot(side)].done.get(id)
    }

    /// The `id` of the last request that `responder` may have been meant to answer.
    pub fn last_asked(&self, responder: Option<Side>) -> Option<Place> {
        let own = responder.map(|side| slot(Some(side)));
        let of_others = self.last.iter().enumerate().filter(|(slot, _)| Some(*slot) != own);
        of_others.filter_map(|(_, last)| *last).max_by_key(|last| last.span.start)
    }

    /// Whether a request of this side with this id may still wait although an answer was paired
    /// with it.
    pub fn may_wait(&self, side: Option<Side>, id: &Id) -> bool {
        self.aside.get(id).is_some_and(|aside| side.is_none() || aside.sender == side)
    }

    /// The requests that an answer with this id, paired with another, may have been meant for.
    pub fn doubted(&self, id: &Id) -> impl Iterator<Item = &Request> {
        let open = self.issued.iter().filter_map(|issued| issued.open.get(id)?.front());
        open.filter(|request| request.doubted)
    }

    /// The last message with this id that was neither call nor response.
    pub fn malformed(&self, id: &Id) -> Option<Place> {
        self.malformed.get(id).copied()
    }

    /// Outstanding requests in the order they were sent. Sorts: for the end and for findings.
    pub fn open(&self) -> Vec<&Request> {
        let mut open: Vec<_> =
            self.issued.iter().flat_map(|issued| issued.open.values().flatten()).collect();
        open.sort_by_key(|request| request.number);
        open
    }

    /// Outstanding requests of a side, in no order; also those that may be so, which are
    /// [`Request::doubted`].
    pub fn open_of(&self, side: Side) -> impl Iterator<Item = &Request> {
        let aside = self.aside.values().filter(move |aside| aside.sender == Some(side));
        self.issued[slot(Some(side))].open.values().flatten().chain(aside)
    }

    /// Whether anything waits for its answer that can expect one.
    pub fn is_waiting(&self) -> bool {
        self.issued
            .iter()
            .flat_map(|issued| issued.open.values().flatten())
            .any(|open| !open.flawed)
    }

    pub(super) fn ask(&mut self, mut request: Request) {
        self.settle(&request);
        request.flawed |= self.outstanding(request.sender, &request.id).is_some()
            || request.sender.is_some_and(|sender| self.is_echo(&request, sender));
        self.last[slot(request.sender)] = Some(request.id_at);
        let issued = &mut self.issued[slot(request.sender)];
        issued.open.entry(request.id.clone()).or_default().push_back(request);
    }

    /// A side uses an id again: the request that had it was answered.
    fn settle(&mut self, request: &Request) {
        if request.sender.is_none() {
            return;
        }
        let Some(aside) = self.aside.get(&request.id) else { return };
        let id = &request.id;
        if aside.sender == request.sender {
            self.aside.remove(id);
            for issued in &mut self.issued {
                for open in issued.open.get_mut(id).into_iter().flatten() {
                    open.doubted = false;
                }
            }
        } else if self.outstanding(request.sender, id).is_some_and(|open| open.doubted)
            && let Some(aside) = self.aside.remove(id)
        {
            // What was taken for the answer to the other was the answer to this one.
            self.remove(slot(request.sender), id);
            let open = self.issued[slot(aside.sender)].open.entry(aside.id.clone()).or_default();
            open.push_front(Request { doubted: false, ..aside });
        }
    }

    /// Whether the request is what the other side has sent just before: a terminal between the two
    /// returns what it is given.
    fn is_echo(&self, request: &Request, sender: Side) -> bool {
        self.outstanding(Some(sender.peer()), &request.id).is_some_and(|other| {
            other.number + 1 == request.number
                && other.method == request.method
                && other.at.span.len == request.at.span.len
        })
    }

    /// A message with this id is neither a call nor a response.
    pub(super) fn fail(&mut self, id: Id, at: Place) {
        self.malformed.insert(id, at);
    }

    /// A `$/cancel_request` names the request of this side with this id; of either side, when its
    /// sender is unknown.
    pub(super) fn cancel(&mut self, side: Option<Side>, id: &Id, at: Place, number: u64) {
        for holder in SLOTS.into_iter().filter(|holder| side.is_none() || *holder == side) {
            if let Some(open) = self.issued[slot(holder)].open.get_mut(id) {
                for request in open {
                    request.cancelled = request.cancelled.or(Some((at, number)));
                }
            }
        }
    }

    /// Takes out the request that a response answers. `sender` is who sent the response, where the
    /// recording says so; `fits` tells how well the response fits the request's method, and
    /// `is_plausible` whether a request can be meant even when it is the only one with this id.
    pub fn take(
        &mut self,
        id: &Id,
        sender: Option<Side>,
        fits: impl Fn(&Request) -> Fit,
        is_plausible: impl Fn(&Request) -> bool,
    ) -> Found {
        if sender.is_none() && self.is_for_aside(id, &fits) {
            let doubted: Vec<_> = self.doubted(id).map(|doubted| slot(doubted.sender)).collect();
            for slot in doubted {
                self.remove(slot, id);
            }
            if let Some(aside) = self.aside.remove(id) {
                return Found::Request(aside, Ambiguity::Ambiguous);
            }
        }
        let sides = SLOTS.into_iter().filter(|side| match (sender, side) {
            (Some(sender), Some(side)) => *side == sender.peer(),
            _ => true,
        });
        let holders = sides.clone().filter_map(|side| Some((side, self.outstanding(side, id)?)));
        let found = match holders.clone().count() {
            0 => None,
            1 => match holders.clone().find(|(_, request)| is_plausible(request)) {
                Some((side, _)) => Some((side, Ambiguity::Sure)),
                None => return Found::Unknown,
            },
            _ => {
                let fit = holders.clone().map(|(_, request)| fits(request)).max();
                let best = holders.clone().filter(|(_, request)| Some(fits(request)) == fit);
                let others = holders.filter(|(_, request)| Some(fits(request)) != fit);
                let is_alone = best.clone().count() == 1
                    && (fit == Some(Fit::Well)
                        || others.map(|(_, request)| fits(request)).all(|fit| fit == Fit::Not));
                let oldest = best.min_by_key(|(_, request)| request.number);
                let ambiguity = if is_alone { Ambiguity::Sure } else { Ambiguity::Ambiguous };
                oldest.map(|(side, _)| (side, ambiguity))
            }
        };
        if let Some((side, ambiguity)) = found {
            return self.pair(side, id, ambiguity);
        }
        // Null names nothing that could have been answered before.
        if *id != Id::Null
            && let Some(done) = sides.clone().find_map(|side| self.answered(side, id))
        {
            return Found::Answered(*done);
        }
        let characters = id.characters();
        let other = sides.clone().find_map(|side| {
            let open = &self.issued[slot(side)].open;
            let id = [
                characters.parse().ok().map(Id::Number),
                Some(Id::Text(characters.as_str().into())),
                Some(Id::Other(characters.as_str().into())),
            ]
            .into_iter()
            .flatten()
            .find(|id| open.contains_key(id))?;
            Some((slot(side), id))
        });
        match other {
            Some((slot, id)) => Found::OtherType(self.remove(slot, &id)),
            None => Found::Unknown,
        }
    }

    /// Whether a response is the answer to the request with this id that another answer was paired
    /// with: that one was then meant for the other side's.
    fn is_for_aside(&self, id: &Id, fits: &impl Fn(&Request) -> Fit) -> bool {
        let open = |side: Option<Side>| self.outstanding(side, id);
        let is_best = |request: &Request| fits(request) == Fit::Well;
        self.aside.get(id).is_some_and(is_best) && !SLOTS.into_iter().filter_map(open).any(is_best)
    }

    /// Takes out the request of this side with this id.
    fn pair(&mut self, side: Option<Side>, id: &Id, ambiguity: Ambiguity) -> Found {
        let request = self.remove(slot(side), id);
        if ambiguity == Ambiguity::Ambiguous {
            self.aside.insert(id.clone(), Request { doubted: true, ..request.clone() });
            self.doubt(id);
            return Found::Request(request, ambiguity);
        }
        let is_guess = request.doubted && self.aside.remove(id).is_some();
        Found::Request(request, if is_guess { Ambiguity::Ambiguous } else { ambiguity })
    }

    /// One of several requests with this id was answered, nobody can tell which.
    fn doubt(&mut self, id: &Id) {
        for issued in &mut self.issued {
            if let Some(request) = issued.open.get_mut(id).and_then(VecDeque::front_mut) {
                request.doubted = true;
            }
        }
    }

    fn remove(&mut self, slot: usize, id: &Id) -> Request {
        let hash_map::Entry::Occupied(mut entry) = self.issued[slot].open.entry(id.clone()) else {
            unreachable!("only found requests are removed");
        };
        let request = entry.get_mut().pop_front().expect("queues are never empty");
        if entry.get().is_empty() {
            entry.remove();
        }
        request
    }

    pub(super) fn close(&mut self, request: &Request, answer: Place, number: u64) {
        let done = Done { request: request.at, answer, asker: request.sender, number, uses: 1 };
        self.issued[slot(request.sender)]
            .done
            .entry(request.id.clone())
            .and_modify(|old| *old = Done { uses: old.uses + 1, ..done })
            .or_insert(done);
    }
}
