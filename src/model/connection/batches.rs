//! Batches: arrays of messages, which two editions of version 2 allow, and how they were answered.

use crate::{event::Message, json::Node, model::anchor::Anchor, protocol::Side};

/// The JSON-RPC batches of a connection that ask for something, in the order they were sent: those with
/// requests, and the last one. Rules use them to check how batches are answered.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    all: Vec<Batch>,
}

/// A JSON-RPC batch, an array of messages, with at least one element that is not a response.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Place of the batch's array, so that a finding can point at it.
    pub at: Anchor,
    pub sender: Option<Side>,
    /// Message number of the batch's last element; the array itself comes before its elements in
    /// the count.
    last: u64,
    /// Number of elements in the batch that are requests, so that answers are due.
    pub requests: usize,
    /// Number of the batch's elements that are not JSON-RPC messages.
    pub invalid: usize,
    pub first_invalid: Option<Anchor>,
    /// The first message that answers an element of the batch: an array or a single response.
    /// `None` while there is none.
    pub answered: Option<Anchor>,
}

impl Batches {
    /// The batch with this index, which `Request::batch` holds for requests in a batch; `None` when
    /// it is no longer kept.
    pub fn get(&self, index: usize) -> Option<&Batch> {
        self.all.get(index)
    }

    /// The last batch, when `responder` may have to answer it; `None` when it is answered. A batch
    /// of notifications alone never gets an answer.
    pub fn unanswered(&self, responder: Option<Side>) -> Option<&Batch> {
        let last = self.all.last()?;
        let addressed = match (last.sender, responder) {
            (Some(sender), Some(responder)) => sender == responder.peer(),
            _ => true,
        };
        (addressed && last.answered.is_none()).then_some(last)
    }

    /// The sender of an empty array, where the recording does not name one: the side that received
    /// a batch in the message just before. `number` is the message number of the array.
    pub fn sender_of_empty(&self, number: u64) -> Option<Side> {
        let before = self.unanswered(None).filter(|batch| batch.last + 1 == number)?;
        before.sender.map(Side::peer)
    }

    /// Index of the batch that was added last, to be kept in its requests; `None` when there is
    /// none.
    pub(super) fn current(&self) -> Option<usize> {
        self.all.len().checked_sub(1)
    }

    /// Applies an array of messages with this message number. Its elements have the numbers after
    /// that and are applied separately.
    pub(super) fn apply(&mut self, array: &Message<'_>, number: u64) {
        let mut batch = Batch {
            at: Anchor::of(array.node, &""),
            sender: array.sender,
            last: number,
            requests: 0,
            invalid: 0,
            first_invalid: None,
            answered: None,
        };
        let mut asks = false;
        for element in array.node.elements() {
            batch.last += 1;
            match BatchEntry::of(element) {
                BatchEntry::Request => batch.requests += 1,
                BatchEntry::Notification => {}
                BatchEntry::Response => continue,
                BatchEntry::Invalid => {
                    batch.invalid += 1;
                    batch.first_invalid = batch.first_invalid.or(Some(Anchor::of(element, &"")));
                }
            }
            asks = true;
        }
        if asks {
            // Without requests, no request names it by its index.
            self.all.pop_if(|last| last.requests == 0);
            self.all.push(batch);
        } else if let Some(batch) = self.all.last_mut()
            && (batch.requests == 0 || array.node.is_empty())
            && batch.sender.is_none_or(|sender| array.sender != Some(sender))
        {
            // It can answer nothing else.
            batch.answered = batch.answered.or(Some(Anchor::of(array.node, &"")));
        }
    }

    /// Notes that a request of the batch at `index` was answered. `envelope` is the place of the
    /// array or the single response with the answer.
    pub(super) fn answer(&mut self, index: usize, envelope: Anchor) {
        if let Some(batch) = self.all.get_mut(index) {
            batch.answered = batch.answered.or(Some(envelope));
        }
    }
}

/// What an element of a batch is by its members: request, notification, response, or something
/// else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEntry {
    Request,
    Notification,
    Response,
    /// An element whose members show neither a request nor a notification nor a response.
    Invalid,
}

impl BatchEntry {
    pub fn of(element: Node<'_>) -> Self {
        match (element.get("method"), element.get("id")) {
            (Some(method), Some(_)) if method.is_string() => Self::Request,
            (Some(method), None) if method.is_string() => Self::Notification,
            (None, Some(_))
                if element.get("result").is_some() || element.get("error").is_some() =>
            {
                Self::Response
            }
            _ => Self::Invalid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::Envelope,
        json::{Doc, Tape},
        source::Origin,
    };

    /// A peer may send a million of them.
    #[test]
    fn batches_without_requests_are_forgotten() {
        let mut batches = Batches::default();
        let text = r#"[[{}],[1],[{"id":1,"method":"a"}],["x"],[{"method":"b"}],[[]]]"#;
        let mut tape = Tape::new();
        tape.parse(text).expect("it is JSON");
        for (number, node) in (0..).zip(Doc::new(text, &tape, Origin::START).root().elements()) {
            let envelope = Envelope::of(node);
            let (sender, at) = (None, None);
            let array = Message { node, sender, recorded: None, at, batch: None, envelope };
            batches.apply(&array, number);
        }
        let requests: Vec<_> = batches.all.iter().map(|batch| batch.requests).collect();
        assert_eq!(requests, [1, 0]);
    }
}
