//! Requests that wait for their answer, and the ways in which they are looked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    event::Standing,
    map::Map,
    model::rpc::{Request, slot},
    protocol::Side,
};

/// A request's place in the order in which requests were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

/// The requests of all senders.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    requests: BTreeMap<Ticket, Entry>,
    /// Those of each sender, as far as some version of the protocol defines their methods; sessions
    /// that wait for nothing are not in it.
    sessions: [Map<Box<str>, Vec<Methods>>; 3],
    /// How many of each sender there are by method.
    counts: [Map<Box<str>, usize>; 3],
    /// How many of each sender may be cancelled.
    cancellable: [usize; 3],
    next: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    request: Request,
    /// Whether nobody knows if it has been answered.
    is_contested: bool,
}

/// The requests of one method in a session.
#[derive(Clone, Debug)]
struct Methods {
    method: Box<str>,
    /// Not empty.
    tickets: BTreeSet<Ticket>,
}

impl Waiting {
    pub(super) fn get(&self, ticket: Ticket) -> Option<&Request> {
        self.requests.get(&ticket).map(|entry| &entry.request)
    }

    /// All of them, the first that was sent first; and whether nobody knows if it has been answered.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = (&Request, bool)> {
        self.requests.values().map(|entry| (&entry.request, entry.is_contested))
    }

    pub(super) fn add(&mut self, request: Request) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        let slot = slot(request.sender);
        if is_defined(&request) {
            match self.counts[slot].get_mut(&request.method) {
                Some(count) => *count += 1,
                None => {
                    self.counts[slot].insert(request.method.clone(), 1);
                }
            }
            if let Some(id) = &request.session_id {
                let methods = self.sessions[slot].entry(id.clone()).or_default();
                match methods.iter_mut().find(|it| it.method == request.method) {
                    Some(of) => {
                        of.tickets.insert(ticket);
                    }
                    None => methods.push(Methods {
                        method: request.method.clone(),
                        tickets: BTreeSet::from([ticket]),
                    }),
                }
            }
        }
        self.cancellable[slot] += usize::from(request.may_be_cancelled);
        self.requests.insert(ticket, Entry { request, is_contested: false });
        ticket
    }

    pub(super) fn remove(&mut self, ticket: Ticket) -> Option<Request> {
        let Entry { request, .. } = self.requests.remove(&ticket)?;
        let slot = slot(request.sender);
        if is_defined(&request) {
            if let Some(count) = self.counts[slot].get_mut(&request.method) {
                *count -= 1;
            }
            if let Some(id) = &request.session_id
                && let Some(methods) = self.sessions[slot].get_mut(id)
            {
                if let Some(of) = methods.iter_mut().find(|it| it.method == request.method) {
                    of.tickets.remove(&ticket);
                }
                methods.retain(|of| !of.tickets.is_empty());
                if methods.is_empty() {
                    self.sessions[slot].remove(id);
                }
            }
        }
        self.cancellable[slot] -= usize::from(request.may_be_cancelled);
        Some(request)
    }

    pub(super) fn contest(&mut self, ticket: Ticket, is_contested: bool) {
        if let Some(entry) = self.requests.get_mut(&ticket) {
            entry.is_contested = is_contested;
        }
    }

    /// Notes that a request may be cancelled, and by what, if that is known. Whether nothing of that
    /// is new.
    pub(super) fn cancel(&mut self, ticket: Ticket, by: Option<(super::Place, u64)>) -> bool {
        let Some(Entry { request, .. }) = self.requests.get_mut(&ticket) else { return true };
        let is_known = request.may_be_cancelled && (by.is_none() || request.cancelled.is_some());
        if !request.may_be_cancelled {
            request.may_be_cancelled = true;
            self.cancellable[slot(request.sender)] += 1;
        }
        request.cancelled = request.cancelled.or(by);
        is_known
    }

    /// Those of a side in a session that call this method, the first that was sent first; and
    /// whether nobody knows if it has been answered.
    pub(super) fn of_session(
        &self,
        side: Side,
        session_id: &str,
        method: &str,
    ) -> impl DoubleEndedIterator<Item = (&Request, bool)> {
        let methods = self.sessions[slot(Some(side))].get(session_id);
        let of = methods.and_then(|methods| methods.iter().find(|of| &*of.method == method));
        let tickets = of.into_iter().flat_map(|of| &of.tickets);
        let entries = tickets.filter_map(|ticket| self.requests.get(ticket));
        entries.map(|entry| (&entry.request, entry.is_contested))
    }

    /// How many requests of a side call this method, if some version of the protocol defines it.
    pub(super) fn count(&self, side: Side, method: &str) -> usize {
        self.counts[slot(Some(side))].get(method).copied().unwrap_or_default()
    }

    /// How many requests of a side may be cancelled.
    pub(super) fn cancellable(&self, side: Side) -> usize {
        self.cancellable[slot(Some(side))]
    }
}

/// Whether the protocol knows the method, so that there are but few like it.
fn is_defined(request: &Request) -> bool {
    matches!(request.standing, Standing::Defined | Standing::Draft | Standing::OtherVersion)
}
