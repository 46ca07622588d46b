//! The connections of one file whose messages take turns, each under a name of the recorder's.
//!
//! One connection is judged at a time; the others wait here with their state.

use crate::{
    check::conduct::RuleCounts,
    map::Map,
    model::{Connection, Id},
    source::Span,
};

/// State of a connection that waits while messages of another one are judged.
#[derive(Debug)]
pub(super) struct WaitingConnection {
    pub(super) connection: Box<Connection>,
    /// Number of the connection in the file, from 0.
    pub(super) number: u32,
    pub(super) last: Option<Span>,
    pub(super) opened_with: Option<Id>,
    /// The results of rules on the connection so far; empty where no conduct is counted.
    pub(super) counts: RuleCounts,
}

/// The connections of a file by the name that the recording gives each. Messages without a name
/// share one connection.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Name in the recording of the connection that is being judged; `None` for messages without a
    /// name.
    current: Option<Box<str>>,
    waiting: Map<Option<Box<str>>, WaitingConnection>,
    /// Names of all connections of the file, in the order of their first messages; `None` for
    /// messages without a name.
    known: Vec<Option<Box<str>>>,
    /// Number of the connection that began last, counted from 0 in the file.
    last: u32,
}

impl Connections {
    pub(super) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// Begins another connection of the file, and returns its number, counted from 0.
    pub(super) fn next_number(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// Number of connections of the file so far, at least 1.
    pub(super) fn count(&self) -> u32 {
        self.last + 1
    }

    /// Puts away the connection `here`, and makes the one with the name `lane` the current one.
    /// Returns the state of that connection (`None` if it is new) and its number.
    pub(super) fn enter(
        &mut self,
        lane: Option<&str>,
        here: WaitingConnection,
    ) -> (Option<WaitingConnection>, u32) {
        let lane: Option<Box<str>> = lane.map(Box::from);
        let before = std::mem::replace(&mut self.current, lane.clone());
        if let Some(waiting) = self.waiting.remove(&lane) {
            self.waiting.insert(before, here);
            let number = waiting.number;
            return (Some(waiting), number);
        }
        // No connection has begun before the first message.
        if here.last.is_none() && self.known.is_empty() {
            self.known.push(lane);
            return (Some(here), self.last);
        }
        if self.known.is_empty() {
            self.known.push(before.clone());
        }
        self.waiting.insert(before, here);
        self.known.push(lane);
        (None, self.next_number())
    }

    /// Names of the connections other than the current one, in the order of their first messages;
    /// `None` for messages without a name.
    pub(super) fn others(&self) -> Vec<Option<Box<str>>> {
        self.known.iter().filter(|lane| **lane != self.current).cloned().collect()
    }
}
