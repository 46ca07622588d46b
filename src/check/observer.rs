//! What an observer is shown while a transcript is checked: calls, answers, and ends of connections.

use std::{fmt, sync::mpsc};

use crate::{
    check::{Check, Settings},
    event::{Call, PlanRemoved, Update},
    map::Map,
    model::{Answer, Connection, PlanUpdated, Session},
    protocol::Side,
};

/// An event on a connection, as observers such as the audit log see it before the model applies it.
#[derive(Clone, Copy, Debug)]
pub struct ObservedEvent<'a> {
    pub kind: EventKind<'a>,
    /// The state of the connection before the event is applied.
    pub connection: &'a Connection,
    /// Number of the connection in the file, from 0.
    pub number: u32,
}

/// What happened: a call, an answer, or the end of the connection.
#[derive(Clone, Copy, Debug)]
pub enum EventKind<'a> {
    /// A side sent a request or notification; observers such as the audit log read it.
    Call {
        call: &'a Call<'a>,
        /// The session update that the call carries; `None` for other calls.
        update: Option<&'a Update<'a>>,
        /// What the update does to a plan; `None` where it does nothing to one.
        plan: Option<&'a PlanChange<'a>>,
    },
    Answer(&'a Answer<'a>),
    /// The connection has ended; no more events of it follow.
    End,
}

/// What a session update does to a plan: sets its state, or removes it.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it stays where it is")]
pub enum PlanChange<'t> {
    Updated(PlanUpdated<'t>),
    Removed(PlanRemoved<'t>),
}

impl ObservedEvent<'_> {
    /// The session that a call names; `None` if no earlier message mentioned it, and for other
    /// events.
    pub fn session(&self) -> Option<&Session> {
        let EventKind::Call { call, .. } = self.kind else { return None };
        self.connection.session(call.session_id()?)
    }
}

/// A function that is called for each event of a check.
pub(super) struct Observer(Box<dyn FnMut(&ObservedEvent<'_>) + Send>);

impl Observer {
    pub(super) fn new(see: impl FnMut(&ObservedEvent<'_>) + Send + 'static) -> Self {
        Self(Box::new(see))
    }

    pub(super) fn see(&mut self, event: &ObservedEvent<'_>) {
        (self.0)(event);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// Which side sent a message, and on which connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// The sending side; `None` where nothing shows it.
    pub sender: Option<Side>,
    /// Number of the connection in the file, from 0.
    pub connection: u32,
}

/// Checks a whole transcript, and returns who sent each call or answer, by the offset (in bytes) at
/// which the message begins.
pub fn sendings(transcript: &[u8], settings: &Settings) -> Map<u64, Sending> {
    let (sent, sendings) = mpsc::channel();
    let mut check = Check::new(settings).with_observer(move |event| {
        let message = match event.kind {
            EventKind::Call { call, .. } => call.message,
            EventKind::Answer(answer) => answer.message,
            EventKind::End => return,
        };
        let sending = Sending { sender: message.sender, connection: event.number };
        // The receiver waits until all is checked.
        let _ = sent.send((message.node.span().start, sending));
    });
    check.feed(transcript);
    check.finish();
    sendings.into_iter().collect()
}
