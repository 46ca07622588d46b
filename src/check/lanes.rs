//! Several connections in one file, whose messages take turns.

use crate::{
    check::survey::Ledger,
    map::Map,
    model::{Connection, Id},
    source::Span,
};

/// The connection of a lane while another lane has its turn.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) connection: Box<Connection>,
    /// Number of the connection in the file.
    pub(super) number: u32,
    pub(super) last: Option<Span>,
    pub(super) opened_with: Option<Id>,
    /// Empty where no survey is made.
    pub(super) ledger: Ledger,
}

/// The lanes of a file. Messages without one are in a lane of their own.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// Whose turn it is.
    current: Option<Box<str>>,
    waiting: Map<Option<Box<str>>, Lane>,
    /// The waiting ones and the current one, in the order of their first turn.
    known: Vec<Option<Box<str>>>,
    /// Number of the last connection.
    last: u32,
}

impl Lanes {
    pub(super) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// Another connection begins; its number.
    pub(super) fn next_number(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// How many connections there are.
    pub(super) fn count(&self) -> u32 {
        self.last + 1
    }

    /// Gives the turn to a lane and keeps what is here. What is known of the lane; else the number
    /// of its first connection.
    pub(super) fn enter(&mut self, lane: Option<&str>, here: Lane) -> (Option<Lane>, u32) {
        let lane: Option<Box<str>> = lane.map(Box::from);
        let before = std::mem::replace(&mut self.current, lane.clone());
        if let Some(waiting) = self.waiting.remove(&lane) {
            self.waiting.insert(before, here);
            let number = waiting.number;
            return (Some(waiting), number);
        }
        // The lane that the file is taken to begin in has no connection before its first message.
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

    /// The lanes but the current one, in the order of their first turn.
    pub(super) fn others(&self) -> Vec<Option<Box<str>>> {
        self.known.iter().filter(|lane| **lane != self.current).cloned().collect()
    }
}
