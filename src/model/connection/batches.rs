//! Batches: arrays of messages, which two editions of version 2 allow, and how they were answered.

use crate::{
    event::Message,
    json::Node,
    model::anchor::{Anchor, Pointer},
    protocol::Side,
};

/// The batches of a connection that ask for something, in the order they were sent.
#[derive(Clone, Debug, Default)]
pub struct Batches {
    all: Vec<Batch>,
}

/// A JSON-RPC batch: a message that is an array. Arrays of responses alone are none.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The array.
    pub at: Anchor,
    pub sender: Option<Side>,
    /// The number that the batch's last element has among the messages of the connection.
    last: u64,
    /// The number of elements that are requests.
    pub requests: usize,
    /// The elements that are no message: their number, and the first one.
    pub invalid: usize,
    pub first_invalid: Option<Anchor>,
    /// The first envelope with an answer to one of its elements: an array or a single response.
    pub answered: Option<Anchor>,
}

impl Batches {
    /// The batch of this index, as requests keep it.
    pub fn get(&self, index: usize) -> Option<&Batch> {
        self.all.get(index)
    }

    /// The last batch that `responder` may answer; `None` when it is answered. A batch of
    /// notifications is never answered.
    pub fn unanswered(&self, responder: Option<Side>) -> Option<&Batch> {
        let last = self.all.last()?;
        let addressed = match (last.sender, responder) {
            (Some(sender), Some(responder)) => sender == responder.peer(),
            _ => true,
        };
        (addressed && last.answered.is_none()).then_some(last)
    }

    /// The sender of an empty array that is message `number`: the side that received a batch just
    /// before.
    pub fn sender_of_empty(&self, number: u64) -> Option<Side> {
        let before = self.unanswered(None).filter(|batch| batch.last + 1 == number)?;
        before.sender.map(Side::peer)
    }

    /// The index of the array that is being applied.
    pub(super) fn current(&self) -> Option<usize> {
        self.all.len().checked_sub(1)
    }

    /// Applies an array. Its elements are applied after it, as messages from `number` on.
    pub(super) fn apply(&mut self, array: &Message<'_>, number: u64) {
        let mut batch = Batch {
            at: Anchor::of(array.node, Pointer::Whole),
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
                    batch.first_invalid =
                        batch.first_invalid.or(Some(Anchor::of(element, Pointer::Whole)));
                }
            }
            asks = true;
        }
        if asks {
            self.all.push(batch);
        } else if let Some(batch) = self.all.last_mut()
            && (batch.requests == 0 || array.node.is_empty())
            && batch.sender.is_none_or(|sender| array.sender != Some(sender))
        {
            // It can answer nothing else.
            batch.answered = batch.answered.or(Some(Anchor::of(array.node, Pointer::Whole)));
        }
    }

    /// Notes that a request of a batch was answered, in this array or single response.
    pub(super) fn answer(&mut self, index: usize, envelope: Anchor) {
        if let Some(batch) = self.all.get_mut(index) {
            batch.answered = batch.answered.or(Some(envelope));
        }
    }
}

/// The kind of an element of an array, by its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEntry {
    Request,
    Notification,
    Response,
    /// No message.
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
