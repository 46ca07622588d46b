//! Requests in flight and the answers they got. The only place that knows ids.
//!
//! Each side numbers its own requests, and both begin at 0: keys are (side, id), ids are compared
//! with their JSON type.

use std::collections::{HashMap, hash_map};

use crate::{
    json::{Kind, Node},
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
            Kind::String => {
                Self::Text(node.text().map_or_else(Box::default, |text| text.to_boxed()))
            }
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
    /// Whether it came in an array, which no official peer answers one by one.
    pub batched: bool,
    /// What its answer will be judged by.
    pub facts: Facts,
    /// The first `$/cancel_request` for it, and that message's number.
    pub withdrawn: Option<(Place, u64)>,
}

/// An answered request.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub request: Place,
    pub answer: Place,
    /// Number of the answering message in its connection.
    pub number: u64,
    /// How often the id has been used.
    pub uses: u32,
}

/// The requests of one side, or of senders unknown.
#[derive(Clone, Debug, Default)]
struct Issued {
    open: HashMap<Id, Vec<Request>>,
    done: HashMap<Id, Done>,
}

/// Pairs answers with requests.
#[derive(Clone, Debug, Default)]
pub struct Correlator {
    issued: [Issued; 3],
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
        self.issued[slot(side)].open.get(id)?.first()
    }

    /// How the last request of this side with this id was answered.
    pub fn answered(&self, side: Option<Side>, id: &Id) -> Option<&Done> {
        self.issued[slot(side)].done.get(id)
    }

    /// Outstanding requests in the order they were sent. Sorts: for the end and for findings.
    pub fn open(&self) -> Vec<&Request> {
        let mut open: Vec<_> =
            self.issued.iter().flat_map(|issued| issued.open.values().flatten()).collect();
        open.sort_by_key(|request| request.number);
        open
    }

    /// Outstanding requests of a side, in no order.
    pub fn open_of(&self, side: Side) -> impl Iterator<Item = &Request> {
        self.issued[slot(Some(side))].open.values().flatten()
    }

    pub(super) fn ask(&mut self, request: Request) {
        self.issued[slot(request.sender)].open.entry(request.id.clone()).or_default().push(request);
    }

    /// The side no longer wants its outstanding request of this id to be answered.
    pub(super) fn withdraw(&mut self, side: Option<Side>, id: &Id, at: Place, number: u64) {
        let open = self.issued[slot(side)].open.get_mut(id);
        if let Some(request) = open.and_then(|requests| requests.first_mut()) {
            request.withdrawn = request.withdrawn.or(Some((at, number)));
        }
    }

    /// Takes out the request that a response answers. `sender` is who sent the response, where the
    /// recording says so; `fits` tells whether the response fits the request's method.
    pub fn take(
        &mut self,
        id: &Id,
        sender: Option<Side>,
        fits: impl Fn(&Request) -> bool,
    ) -> Found {
        let may_hold = |side: Option<Side>| match (sender, side) {
            (Some(sender), Some(side)) => side == sender.peer(),
            _ => true,
        };
        let mut candidates: Vec<(usize, u64, bool)> = SLOTS
            .into_iter()
            .filter(|side| may_hold(*side))
            .filter_map(|side| {
                let request = self.outstanding(side, id)?;
                Some((slot(side), request.number, true))
            })
            .collect();
        if candidates.len() > 1 {
            for candidate in &mut candidates {
                candidate.2 = fits(self.outstanding(SLOTS[candidate.0], id).expect("found above"));
            }
        }
        let best = candidates.iter().min_by_key(|(_, number, fits)| (!fits, *number));
        if let Some(&(slot, ..)) = best {
            let fitting = candidates.iter().filter(|candidate| candidate.2).count();
            let ambiguity = if candidates.len() > 1 && fitting != 1 {
                Ambiguity::Ambiguous
            } else {
                Ambiguity::Sure
            };
            return Found::Request(self.remove(slot, id), ambiguity);
        }
        let answered = SLOTS
            .into_iter()
            .filter(|side| may_hold(*side))
            .find_map(|side| self.answered(side, id).copied());
        if let Some(done) = answered {
            return Found::Answered(done);
        }
        let characters = id.characters();
        let other = SLOTS.into_iter().filter(|side| may_hold(*side)).find_map(|side| {
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
            Some((slot, id)) if id != Id::Null => Found::OtherType(self.remove(slot, &id)),
            _ => Found::Unknown,
        }
    }

    fn remove(&mut self, slot: usize, id: &Id) -> Request {
        let hash_map::Entry::Occupied(mut entry) = self.issued[slot].open.entry(id.clone()) else {
            unreachable!("only found requests are removed");
        };
        let request = entry.get_mut().remove(0);
        if entry.get().is_empty() {
            entry.remove();
        }
        request
    }

    pub(super) fn close(&mut self, request: &Request, answer: Place, number: u64) {
        let done = Done { request: request.at, answer, number, uses: 1 };
        self.issued[slot(request.sender)]
            .done
            .entry(request.id.clone())
            .and_modify(|old| *old = Done { uses: old.uses + 1, ..done })
            .or_insert(done);
    }
}
