//! What an observer is shown while a transcript is checked: calls, answers, and ends of connections.

use std::fmt;

use crate::{
    event::{Call, PlanRemoved, Update},
    model::{Answer, Connection, PlanUpdated, Session},
};

/// An event of a connection, before the model applies it.
#[derive(Clone, Copy, Debug)]
pub struct ObservedEvent<'a> {
    pub kind: EventKind<'a>,
    /// The state before the event.
    pub connection: &'a Connection,
    /// Number of the connection in the file, from 0.
    pub number: u32,
}

/// What an observer is shown.
#[derive(Clone, Copy, Debug)]
pub enum EventKind<'a> {
    /// A request or notification.
    Call {
        call: &'a Call<'a>,
        /// The session update that the call carries.
        update: Option<&'a Update<'a>>,
        /// What the update does to a plan.
        plan: Option<PlanChange<'a>>,
    },
    Answer(&'a Answer<'a>),
    /// The last event of each connection.
    End,
}

/// What an update does to a plan.
#[derive(Clone, Copy, Debug)]
pub enum PlanChange<'a> {
    Updated(&'a PlanUpdated<'a>),
    Removed(&'a PlanRemoved<'a>),
}

impl ObservedEvent<'_> {
    /// The session that a call names, if any message has mentioned it before.
    pub fn session(&self) -> Option<&Session> {
        let EventKind::Call { call, .. } = self.kind else { return None };
        self.connection.session(call.session_id()?)
    }
}

/// A function that is called for each event.
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
