//! Open requests, and the indices by which they are found: by order, session, method.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
};

use crate::{
    event::MethodStatus,
    map::{Map, hash_of},
    model::{
        anchor::Anchor,
        connection::rpc::queues::{Queues, Ticket},
        request::{Request, slot},
    },
    protocol::Side,
};

/// The requests of all senders that wait for an answer, with indices by session and method.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// All waiting requests by ticket (a number in the order of sending). Boxed to save memory,
    /// since tree nodes reserve room for several.
    requests: BTreeMap<Ticket, Box<Request>>,
    /// Tickets of requests that may have been answered, by an answer that could also be for another
    /// request with the same id.
    contested: BTreeSet<Ticket>,
    /// The waiting requests by a hash of session and method, see `in_session`; only methods that a
    /// version of the protocol defines. Index 0 has those of the client, 1 of the agent, 2 of
    /// unknown senders.
    sessions: [Queues<u64>; 3],
    /// The number of waiting requests by method, for methods that some version of the protocol
    /// defines. Index 0 counts those of the client, 1 of the agent, 2 of unknown senders.
    counts: [Map<Cow<'static, str>, usize>; 3],
    /// The number of waiting requests that a `$/cancel_request` may have cancelled: of the client
    /// (index 0), of the agent (1), of unknown senders (2).
    cancellable: [usize; 3],
    /// Number of waiting requests that are not faulty themselves (`flawed`), so that a missing
    /// answer means something.
    sound: usize,
    next: u64,
}

impl Waiting {
    pub(super) fn get(&self, ticket: Ticket) -> Option<&Request> {
        self.requests.get(&ticket).map(|request| &**request)
    }

    /// The request of this ticket, to change it; `None` for one that was answered.
    pub(super) fn get_mut(&mut self, ticket: Ticket) -> Option<&mut Request> {
        self.requests.get_mut(&ticket).map(Box::as_mut)
    }

    /// All requests in the order they were sent. The flag is true when it is unknown whether the
    /// request has been answered.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = (&Request, bool)> {
        self.requests.iter().map(|(ticket, request)| (&**request, self.contested.contains(ticket)))
    }

    /// All requests in the order they were sent.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Request> {
        self.requests.values_mut().map(|request| &mut **request)
    }

    /// The first request after ticket `last` that certainly waits for an answer, and its ticket.
    /// `None` for `last` starts at the oldest.
    pub(super) fn open_after(&self, last: Option<Ticket>) -> Option<(Ticket, &Request)> {
        let from = last.map_or(Bound::Unbounded, Bound::Excluded);
        let mut later = self.requests.range((from, Bound::Unbounded));
        let (ticket, open) = later.find(|(ticket, _)| !self.contested.contains(ticket))?;
        Some((*ticket, open))
    }

    pub(super) fn add(&mut self, request: Request) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        let slot = slot(request.sender);
        if is_defined(&request) {
            match self.counts[slot].get_mut(&*request.method) {
                Some(count) => *count += 1,
                None => {
                    self.counts[slot].insert(request.method.clone(), 1);
                }
            }
            if let Some(id) = &request.session_id {
                self.sessions[slot].add(in_session(id, &request.method), ticket);
            }
        }
        self.cancellable[slot] += usize::from(request.may_be_cancelled);
        self.sound += usize::from(!request.flawed);
        self.requests.insert(ticket, Box::new(request));
        ticket
    }

    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Box<Request>> {
        let request = self.requests.remove(&ticket)?;
        self.contested.remove(&ticket);
        let slot = slot(request.sender);
        if is_defined(&request) {
            if let Some(count) = self.counts[slot].get_mut(&request.method) {
                *count -= 1;
            }
            if let Some(id) = &request.session_id {
                self.sessions[slot].remove(&in_session(id, &request.method), ticket);
            }
        }
        self.cancellable[slot] -= usize::from(request.may_be_cancelled);
        self.sound -= usize::from(!request.flawed);
        Some(request)
    }

    pub(super) fn contest(&mut self, ticket: Ticket, is_contested: bool) {
        if is_contested {
            self.contested.insert(ticket);
        } else {
            self.contested.remove(&ticket);
        }
    }

    /// Notes that a request may have been cancelled, by the message with this place and number
    /// (`None` when unknown). Returns whether that was known before.
    pub(super) fn cancel(&mut self, ticket: Ticket, by: Option<(Anchor, u64)>) -> bool {
        let Some(request) = self.requests.get_mut(&ticket) else { return true };
        let is_known = request.may_be_cancelled && (by.is_none() || request.cancelled.is_some());
        if !request.may_be_cancelled {
            request.may_be_cancelled = true;
            self.cancellable[slot(request.sender)] += 1;
        }
        request.cancelled = request.cancelled.or(by);
        is_known
    }

    /// A side's requests of this method in a session, in the order they were sent. The flag is true
    /// when it is unknown whether the request has been answered.
    pub(super) fn of_session(
        &self,
        side: Side,
        session_id: &str,
        method: &str,
    ) -> impl DoubleEndedIterator<Item = (&Request, bool)> {
        let tickets = self.sessions[slot(Some(side))].all(&in_session(session_id, method));
        let requests = tickets.filter_map(|ticket| Some((ticket, self.get(ticket)?)));
        // Other sessions and methods may have the same hash.
        let own = requests.filter(move |(_, request)| {
            *request.method == *method && request.session_id.as_deref() == Some(session_id)
        });
        own.map(|(ticket, request)| (request, self.contested.contains(&ticket)))
    }

    /// Number of a side's waiting requests of this method; 0 for methods that no version of the
    /// protocol defines.
    pub(super) fn count(&self, side: Side, method: &str) -> usize {
        self.counts[slot(Some(side))].get(method).copied().unwrap_or_default()
    }

    /// Whether any request without a fault of its own waits for an answer.
    pub(super) fn has_sound(&self) -> bool {
        self.sound > 0
    }

    /// Number of a side's waiting requests that a `$/cancel_request` may have cancelled.
    pub(super) fn cancellable(&self, side: Side) -> usize {
        self.cancellable[slot(Some(side))]
    }
}

/// Hash of a session id and a method, the key of an index of requests.
fn in_session(session_id: &str, method: &str) -> u64 {
    hash_of((session_id, method))
}

/// Whether some version of the protocol defines the request's method. Only such methods are counted
/// by name, so that hostile input cannot fill the tables.
fn is_defined(request: &Request) -> bool {
    matches!(
        request.method_status,
        MethodStatus::Defined | MethodStatus::Draft | MethodStatus::OtherVersion
    )
}
