//! Pairs responses with requests by their ids: which requests are open, and which were answered.
//!
//! Each side numbers its own requests, and both begin at 0. So a request is found by its sender and
//! its id; ids are compared with their JSON type.

use std::collections::hash_map;

use crate::{
    json::Node,
    map::Map,
    model::{
        Answer,
        anchor::Anchor,
        request::{AnsweredRequest, Request, id::Id, slot},
        response::Contested,
    },
    protocol::{Side, schema::ResponseFit},
};

mod answered;
mod queues;
mod waiting;

use answered::Answered;
use queues::{Queues, Ticket};
use waiting::Waiting;

/// Most open requests of one session and method that a rule looks at, the latest first; others are
/// skipped, so that hostile input does not take long.
pub const LOOKED_AT: usize = 256;

/// Most requests with one id of which it is unknown which were answered. With more, a response
/// counts as the answer to the oldest.
const CONTESTED: usize = 16;

/// The requests of one side, or of unknown senders, by id: those that wait for an answer, and those
/// that were answered.
#[derive(Clone, Debug, Default)]
struct Issued {
    open: Queues<Id>,
    done: Answered,
}

/// Requests of several senders with the same id, after an answer that may be for any of them.
#[derive(Clone, Debug)]
struct Contest {
    /// The requests of which some were answered, and it is unknown which. There are always more of
    /// them than answers.
    requests: Vec<Ticket>,
    answers: Vec<Contested>,
}

impl Contest {
    /// The answers to these requests so far. `is_error` of each is known only when all of them, and
    /// `rival`, agree, since it is unknown which answer is for which request.
    fn answers(&self, rival: Option<Contested>) -> impl Iterator<Item = Contested> {
        let are = |is_error| {
            self.answers.iter().chain(&rival).all(|answer| answer.is_error == Some(is_error))
        };
        let is_error = are(true).then_some(true).or(are(false).then_some(false));
        self.answers.iter().map(move |answer| Contested { is_error, ..*answer })
    }
}

/// A request that a response may answer: the oldest open one of a sender, where `None` is unknown,
/// or the one at this index among the contested requests with the id.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Open(Option<Side>),
    Contested(usize),
}

impl Candidate {
    fn slot(self) -> Option<usize> {
        match self {
            Self::Open(side) => Some(slot(side)),
            Self::Contested(_) => None,
        }
    }
}

/// A request that must have been answered earlier, as a later message shows, by an answer that
/// could have been for another request.
#[derive(Clone, Debug)]
pub struct Settled {
    pub request: Box<Request>,
    pub answer: Contested,
}

/// Finds the request that each response answers, by ids, and keeps the requests that wait for an
/// answer.
#[derive(Clone, Debug, Default)]
pub struct Correlator {
    /// All requests without a certain answer: those that wait, and those that may have been
    /// answered.
    waiting: Waiting,
    issued: [Issued; 3],
    contests: Map<Id, Contest>,
    /// Place of the `id` of the last request: of the client (index 0), of the agent (1), of an
    /// unknown sender (2).
    last: [Option<Anchor>; 3],
    /// Messages with an `id` that are neither calls nor responses, by id, and whether the client, the
    /// agent and unknown senders have written such messages. A reader may answer them with an error.
    malformed: Map<Id, [bool; 3]>,
    /// Message numbers of messages with a `result` or `error` that have no usable id, so that it is
    /// unknown which request they answer; by sender.
    unnamed: [Vec<u64>; 3],
    /// Ids of responses that answer no request, as a reader rounds them that keeps numbers in 64 bits
    /// of floating point, as JavaScript does; the first [`ROUNDED_IDS`] that are too large to be
    /// exact.
    rounded: Vec<f64>,
    /// Methods that no version of the protocol defines and of which a request was answered, by
    /// name.
    pub undefined: Map<Box<str>, Undefined>,
}

/// What is known of a method that no version of the protocol defines, from its first answered
/// request on.
#[derive(Clone, Debug)]
pub struct Undefined {
    pub method_at: Anchor,
    pub sender: Option<Side>,
    /// Time of the first answered request, in seconds on the recorder's clock; `None` without a
    /// time.
    pub time: Option<f64>,
    /// Whether a request of the method was answered with a result, so that both sides know the
    /// method.
    pub is_known: bool,
}

/// Which request a response answers, as found by its id, or why none was found.
#[derive(Clone, Debug)]
pub enum ResponseMatch {
    /// The response answers this request. The second value says whether another request was as
    /// likely. The third lists requests that turn out to be answered by earlier responses, whose
    /// request was open until now; their answers are applied by the caller.
    Request(Box<Request>, Ambiguity, Vec<Settled>),
    /// Requests of several senders have the id, and it is unknown so far which of them is answered.
    Contested,
    /// No open request has the id; this one has the same characters in another JSON type, such as
    /// `"1"` for `1`.
    OtherType(Box<Request>),
    /// No open request has the id; the last request with it was answered before.
    Answered(AnsweredRequest),
    Unknown,
}

/// Whether it is certain which request a response answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ambiguity {
    Sure,
    /// Requests of several senders had the id, and the response fits more than one.
    Ambiguous,
}

/// How many rounded ids are kept for each connection.
const ROUNDED_IDS: usize = 64;

const SLOTS: [Option<Side>; 3] = [Some(Side::Client), Some(Side::Agent), None];

/// The slots of what a side has not written itself: those of its peer and of unknown senders; all
/// for `None`.
fn slots_of_others(side: Option<Side>) -> impl Iterator<Item = usize> {
    let others = SLOTS.into_iter().filter(move |writer| writer.is_none() || *writer != side);
    others.map(slot)
}

impl Correlator {
    /// Whether both sides know a method that no version of the protocol defines, since a request of
    /// it was answered with a result.
    pub fn is_known(&self, method: &str) -> bool {
        self.undefined.get(method).is_some_and(|it| it.is_known)
    }

    pub(super) fn note_undefined(&mut self, answer: &Answer<'_>) {
        let request = answer.request;
        let method = self.undefined.entry((&*request.method).into());
        let method = method.or_insert_with(|| Undefined {
            method_at: request.method_at,
            sender: request.sender,
            time: request.time,
            is_known: false,
        });
        method.is_known |= answer.result().is_some();
    }

    /// The oldest request of this sender with this id that waits for its answer. `None` for `side`
    /// means unknown senders.
    pub fn outstanding(&self, side: Option<Side>, id: &Id) -> Option<&Request> {
        self.waiting.get(self.issued[slot(side)].open.first(id)?)
    }

    /// The oldest request with this id, of any sender, that waits for its answer; `None` without
    /// one.
    pub fn outstanding_of_any(&self, id: &Id) -> Option<&Request> {
        SLOTS
            .into_iter()
            .filter_map(|side| self.outstanding(side, id))
            .min_by_key(|open| open.number)
    }

    /// The last answered request of this sender with this id, and its answer; `None` without one.
    /// `side` is `None` for unknown senders.
    pub fn answered(&self, side: Option<Side>, id: &Id) -> Option<&AnsweredRequest> {
        self.issued[slot(side)].done.get(id)
    }

    /// Place of the `id` of the last request that `responder` may have been meant to answer, so
    /// that a finding can point at it; of the last request of all when `responder` is `None`.
    pub fn last_asked(&self, responder: Option<Side>) -> Option<Anchor> {
        let own = responder.map(|side| slot(Some(side)));
        let of_others = self.last.iter().enumerate().filter(|(slot, _)| Some(*slot) != own);
        of_others.filter_map(|(_, last)| *last).max_by_key(|last| last.span().start)
    }

    /// Whether a message with this id was neither a call nor a response, and `reader` may have
    /// answered it because it has not written it itself.
    pub fn is_malformed(&self, id: &Id, reader: Option<Side>) -> bool {
        let writers = self.malformed.get(id).copied().unwrap_or_default();
        slots_of_others(reader).any(|slot| writers[slot])
    }

    /// Whether a response that `side` has not written itself does not say which request it answers.
    pub fn has_unnamed_answer_to(&self, side: Option<Side>) -> bool {
        slots_of_others(side).any(|slot| !self.unnamed[slot].is_empty())
    }

    /// All requests that certainly wait for an answer, in the order in which they were sent.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Request> {
        let open = self.waiting.all().filter(|(_, is_contested)| !is_contested);
        open.map(|(request, _)| request)
    }

    /// The next request after ticket `last` (a number that the correlator gives requests) that
    /// certainly waits for an answer. For callers that change the correlator between requests.
    /// `None` at the end.
    pub(crate) fn open_after(&self, last: Option<Ticket>) -> Option<(Ticket, &Request)> {
        self.waiting.open_after(last)
    }

    /// The latest request of a side that certainly waits for an answer, looked for among the last
    /// 256 open requests; `None` when none is there.
    pub fn last_open(&self, side: Side) -> Option<&Request> {
        self.open().rev().take(LOOKED_AT).find(|request| request.sender == Some(side))
    }

    /// Requests of a side and method in a session that certainly wait for an answer, in the order
    /// they were sent. Only for methods of the protocol. Callers look at 256 of them at most.
    pub fn open_in(
        &self,
        session_id: &str,
        side: Side,
        method: &str,
    ) -> impl DoubleEndedIterator<Item = &Request> {
        let open = self.waiting.of_session(side, session_id, method);
        open.filter(|(_, is_contested)| !is_contested).map(|(request, _)| request)
    }

    /// Requests of a side and method in a session that wait for an answer or may do so, in the
    /// order they were sent. Only for methods of the protocol.
    pub fn perhaps_open_in(
        &self,
        session_id: &str,
        side: Side,
        method: &str,
    ) -> impl DoubleEndedIterator<Item = &Request> {
        self.waiting.of_session(side, session_id, method).map(|(request, _)| request)
    }

    /// Whether a request of a side with one of these methods waits for an answer, or may do so.
    /// Only for methods of the protocol.
    pub fn may_wait_for(&self, side: Side, methods: &[&str]) -> bool {
        methods.iter().any(|method| self.waiting.count(side, method) > 0)
    }

    /// Whether an open request of a side may have been cancelled by `$/cancel_request`.
    pub fn may_be_withdrawn(&self, side: Side) -> bool {
        self.waiting.cancellable(side) > 0
    }

    /// Whether a request of a side with this id waits for an answer, or may do so because an answer
    /// could not be assigned.
    pub fn may_be_outstanding(&self, side: Side, id: &Id) -> bool {
        self.outstanding(Some(side), id).is_some()
            || self.contested(id).any(|request| request.sender == Some(side))
    }

    /// Whether any request still waits for an answer that the recording could have. Faulty requests
    /// do not count.
    pub fn is_waiting(&self) -> bool {
        !self.contests.is_empty() || self.waiting.has_sound()
    }

    /// The requests with this id of which it is unknown whether they have been answered, because an
    /// answer could have been for any of them.
    pub(super) fn contested(&self, id: &Id) -> impl Iterator<Item = &Request> {
        let tickets = self.contests.get(id).into_iter().flat_map(|contest| &contest.requests);
        tickets.filter_map(|ticket| self.waiting.get(*ticket))
    }

    /// Number of ids of which it is unknown which request has been answered.
    pub fn contests(&self) -> usize {
        self.contests.len()
    }

    /// Adds a request that waits for its answer. Returns an earlier request of the sender with the
    /// same id, which counts as answered now; `None` without one.
    pub(super) fn ask(&mut self, mut request: Request) -> Option<Settled> {
        let settled = self.settle(&request);
        request.flawed |= self.outstanding(request.sender, &request.id).is_some()
            || request.sender.is_some_and(|sender| self.is_echo(&request, sender));
        self.last[slot(request.sender)] = Some(request.id_at);
        let (slot, id) = (slot(request.sender), request.id.clone());
        let ticket = self.waiting.add(request);
        self.issued[slot].open.add(id, ticket);
        settled
    }

    /// Settles which of several requests with one id was answered, when a sender uses the id again:
    /// its earlier request must have been. Returns that request; `None` when nothing was open.
    fn settle(&mut self, again: &Request) -> Option<Settled> {
        let contest = self.contests.get_mut(&again.id).filter(|_| again.sender.is_some())?;
        let sender = |ticket: &Ticket| self.waiting.get(*ticket)?.sender;
        let own = contest.requests.iter().position(|ticket| sender(ticket) == again.sender)?;
        let ticket = contest.requests.remove(own);
        let answer = contest.answers(None).next()?;
        contest.answers.remove(0);
        if contest.answers.is_empty() {
            let contest = self.contests.remove(&again.id)?;
            for ticket in contest.requests {
                self.waiting.contest(ticket, false);
                let issued = &mut self.issued[slot(self.waiting.get(ticket)?.sender)];
                issued.open.add(again.id.clone(), ticket);
            }
        }
        Some(Settled { request: self.waiting.remove(ticket)?, answer })
    }

    /// Whether a request repeats what the other side has sent just before, as a terminal between
    /// the two sides does when it echoes its input.
    fn is_echo(&self, request: &Request, sender: Side) -> bool {
        self.outstanding(Some(sender.peer()), &request.id).is_some_and(|other| {
            other.number + 1 == request.number
                && other.method == request.method
                && other.at.span().len == request.at.span().len
        })
    }

    /// Remembers a message with an `id` that is neither a call nor a response.
    pub(super) fn fail(&mut self, id: Id, writer: Option<Side>) {
        self.malformed.entry(id).or_default()[slot(writer)] = true;
    }

    /// Notes a response that does not say which request it answers.
    pub(super) fn answer_unnamed(&mut self, writer: Option<Side>, number: u64) {
        self.unnamed[slot(writer)].push(number);
    }

    /// Notes a response that could not be read. `id`: that of the request which it seems to answer.
    pub(super) fn answer_unread(&mut self, writer: Option<Side>, id: Option<Id>, number: u64) {
        let asker = writer.map(Side::peer);
        let open = id.and_then(|id| self.issued[slot(asker)].open.first(&id));
        match open.and_then(|ticket| self.waiting.get_mut(ticket)) {
            Some(request) => request.unnamed_answer = Some(number),
            None => self.answer_unnamed(writer, number),
        }
    }

    /// Takes each response that does not say which request it answers for the answer to the oldest
    /// request that is left open. Call it once, at the end.
    pub(super) fn allot_unnamed(&mut self) {
        let Self { unnamed, waiting, .. } = self;
        let mut next = [0; 3];
        for request in waiting.all_mut() {
            let answerers = match request.sender {
                Some(asker) => [Some(asker.peer()), None],
                None => [None, None],
            };
            for slot in answerers.map(slot) {
                let answers = unnamed[slot].iter().copied();
                let mut later = answers.enumerate().skip(next[slot]);
                let found = later.find(|(_, number)| *number > request.number);
                next[slot] = found.map_or(unnamed[slot].len(), |(index, _)| index);
                if request.unnamed_answer.is_none()
                    && let Some((index, number)) = found
                {
                    (request.unnamed_answer, next[slot]) = (Some(number), index + 1);
                }
            }
        }
    }

    /// Applies a `$/cancel_request` of `side` for the request with this id; without a side, for the
    /// requests of all senders with the id. `at` and `number` are those of the `$/cancel_request`.
    pub(super) fn cancel(&mut self, side: Option<Side>, id: &Id, at: Anchor, number: u64) {
        let slots = SLOTS.into_iter().filter(|own| side.is_none() || *own == side);
        let queues = slots.map(|side| &self.issued[slot(side)].open);
        let contested = self.contests.get(id).into_iter().flat_map(|it| &it.requests).copied();
        let sender = |ticket: Ticket| self.waiting.get(ticket).map(|request| request.sender);
        let is_meant = |ticket: &Ticket| side.is_none() || sender(*ticket) == Some(side);
        let contested: Vec<_> = contested.filter(is_meant).collect();
        let open = queues.clone().filter_map(|queues| sender(queues.first(id)?));
        let mut senders = open.chain(contested.iter().filter_map(|ticket| sender(*ticket)));
        let first = senders.next();
        let is_sure = senders.all(|sender| first == Some(sender));
        let by = is_sure.then_some((at, number));
        for ticket in contested {
            self.waiting.cancel(ticket, by);
        }
        for queues in queues {
            // Requests that wait before a cancelled one were cancelled with it.
            let mut tickets = queues.all(id).rev();
            while tickets.next().is_some_and(|ticket| !self.waiting.cancel(ticket, by)) {}
        }
    }

    /// Finds the request that a response with this id answers, and removes it. `sender` is as
    /// recorded. `fit` rates a request when several have the id; `is_plausible` may refuse the only
    /// one.
    pub fn take(
        &mut self,
        id: &Id,
        sender: Option<Side>,
        answer: Contested,
        fit: impl Fn(&Request) -> ResponseFit,
        is_plausible: impl Fn(&Request) -> bool,
    ) -> ResponseMatch {
        let may_ask = |side: Option<Side>| match (sender, side) {
            (Some(sender), Some(side)) => side == sender.peer(),
            _ => true,
        };
        let sides = SLOTS.into_iter().filter(|side| may_ask(*side));
        let holders = sides
            .clone()
            .filter_map(|side| Some((Candidate::Open(side), self.outstanding(side, id)?)));
        let contested =
            self.contested(id).enumerate().filter(|(_, request)| may_ask(request.sender));
        let mut claims =
            holders.chain(contested.map(|(index, request)| (Candidate::Contested(index), request)));
        let (first, second) = (claims.next(), claims.next());
        // Most responses have one candidate.
        let all = second.map(|second| first.into_iter().chain([second]).chain(claims));
        let found = match (first, all.map(Iterator::collect::<Vec<_>>)) {
            (None, _) => None,
            (Some((Candidate::Open(_), request)), None) if !is_plausible(request) => {
                return ResponseMatch::Unknown;
            }
            (Some((candidate, _)), None) => Some((candidate, Ambiguity::Sure)),
            (Some(_), Some(claims)) => {
                let best = claims.iter().map(|(_, request)| fit(request)).max();
                let is_best = |request: &Request| Some(fit(request)) == best;
                // Everything answers an extension, so that it shows nothing.
                let is_free = best == Some(ResponseFit::Perhaps)
                    && claims.iter().all(|(_, own)| !is_best(own) || own.is_of_extension());
                let fitting = claims.iter().filter(|(_, request)| {
                    is_best(request) || is_free && fit(request) == ResponseFit::Hardly
                });
                let mut candidates: Vec<_> = fitting.copied().collect();
                let is_sure = candidates.len() == 1;
                // What somebody was not to send, or a terminal has returned, has no candidate.
                if candidates.iter().any(|(_, request)| !request.flawed) {
                    candidates.retain(|(_, request)| !request.flawed);
                }
                let is_open = |(candidate, _): &(Candidate, &Request)| {
                    matches!(candidate, Candidate::Open(_))
                };
                match candidates.as_slice() {
                    [(candidate, _)] if is_sure => Some((*candidate, Ambiguity::Sure)),
                    [(candidate, _)] => Some((*candidate, Ambiguity::Ambiguous)),
                    [(oldest, _), ..] if !candidates.iter().any(is_open) => {
                        Some((*oldest, Ambiguity::Ambiguous))
                    }
                    // With that many requests, it will never be known which one it was.
                    [(oldest, _), ..] if self.contested(id).nth(CONTESTED).is_some() => {
                        Some((*oldest, Ambiguity::Ambiguous))
                    }
                    _ => {
                        let open = candidates.iter().filter_map(|(candidate, _)| candidate.slot());
                        let slots = open.collect();
                        self.contest(id, slots, answer);
                        return ResponseMatch::Contested;
                    }
                }
            }
        };
        match found {
            Some((Candidate::Open(side), ambiguity)) => {
                return ResponseMatch::Request(self.remove(slot(side), id), ambiguity, Vec::new());
            }
            Some((Candidate::Contested(index), ambiguity)) => {
                let rival = (ambiguity == Ambiguity::Ambiguous).then_some(answer);
                let (request, settled) = self.decide(id, index, rival);
                return ResponseMatch::Request(request, ambiguity, settled);
            }
            None => {}
        }
        // The id null names no earlier request.
        if *id != Id::Null
            && let Some(done) = sides.clone().find_map(|side| self.answered(side, id))
        {
            return ResponseMatch::Answered(*done);
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
            .find(|id| open.first(id).is_some())?;
            Some((slot(side), id))
        });
        if let Some((slot, id)) = other {
            return ResponseMatch::OtherType(self.remove(slot, &id));
        }
        if let Some(id) = id.rounded()
            && self.rounded.len() < ROUNDED_IDS
        {
            self.rounded.push(id);
        }
        ResponseMatch::Unknown
    }

    /// Whether a response that answers no request has the id of this request as JavaScript rounds it.
    pub fn has_rounded_answer(&self, id: &Id) -> bool {
        id.rounded().is_some_and(|id| self.rounded.contains(&id))
    }

    /// Notes a response that may answer requests of several senders with this id. `slots` are the
    /// senders whose oldest open request it may answer.
    fn contest(&mut self, id: &Id, slots: Vec<usize>, answer: Contested) {
        let mut requests: Vec<_> = slots.into_iter().map(|slot| self.dequeue(slot, id)).collect();
        requests.sort_unstable();
        for ticket in &requests {
            self.waiting.contest(*ticket, true);
        }
        match self.contests.entry(id.clone()) {
            hash_map::Entry::Occupied(mut entry) => {
                let contest = entry.get_mut();
                contest.requests.append(&mut requests);
                contest.requests.sort_unstable();
                contest.answers.push(answer);
            }
            hash_map::Entry::Vacant(entry) => {
                entry.insert(Contest { requests, answers: vec![answer] });
            }
        }
    }

    /// Removes the contested request at `index`. When as many answers as other requests remain,
    /// those requests are settled. `rival` is an answer that may have been for one of them.
    fn decide(
        &mut self,
        id: &Id,
        index: usize,
        rival: Option<Contested>,
    ) -> (Box<Request>, Vec<Settled>) {
        let hash_map::Entry::Occupied(mut entry) = self.contests.entry(id.clone()) else {
            unreachable!("only found requests are decided");
        };
        let ticket = entry.get_mut().requests.remove(index);
        let request = self.waiting.remove(ticket).expect("what is contested waits");
        let mut settled = Vec::new();
        if entry.get().requests.len() <= entry.get().answers.len() {
            let contest = entry.remove();
            let answers: Vec<_> = contest.answers(rival).collect();
            let pairs = contest.requests.into_iter().zip(answers);
            settled.extend(pairs.filter_map(|(ticket, answer)| {
                Some(Settled { request: self.waiting.remove(ticket)?, answer })
            }));
        }
        (request, settled)
    }

    fn remove(&mut self, slot: usize, id: &Id) -> Box<Request> {
        let ticket = self.dequeue(slot, id);
        self.waiting.remove(ticket).expect("what is open waits")
    }

    fn dequeue(&mut self, slot: usize, id: &Id) -> Ticket {
        self.issued[slot].open.take_first(id).expect("only found requests are removed")
    }

    pub(super) fn close(&mut self, request: &Request, answer: Anchor) {
        let done = AnsweredRequest { request: request.at, answer, asker: request.sender, uses: 1 };
        self.issued[slot(request.sender)].done.add(&request.id, done);
    }
}

/// Whether a request's id is random, a UUID, and not a counter. Such an id says nothing of how many
/// requests came before.
pub(crate) fn is_random(id: Node<'_>) -> bool {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.text().is_some_and(|id| {
        let id = id.as_cow();
        id.split('-').map(str::len).eq(LENGTHS) && id.split('-').all(is_hexadecimal)
    })
}
