//! What an observer of plans is shown while a transcript is judged.

use std::fmt;

use crate::{
    event::PlanRemoved,
    json::Text,
    model::{Connection, PlanUpdated, Session},
    source::Span,
};

/// What is about to happen to the plans of a session.
#[derive(Clone, Copy, Debug)]
pub struct PlanEvent<'a> {
    pub change: PlanChange<'a>,
    pub session_id: Text<'a>,
    /// The message.
    pub span: Span,
    /// The state before the message.
    pub connection: &'a Connection,
    /// Number of the connection in the file, from 0.
    pub number: u32,
}

/// One thing that can happen to plans.
#[derive(Clone, Copy, Debug)]
pub enum PlanChange<'a> {
    Updated(&'a PlanUpdated<'a>),
    Removed(&'a PlanRemoved<'a>),
    /// The session is loaded or resumed: what was shown is shown again, or it is gone.
    Forgotten,
}

impl PlanEvent<'_> {
    /// The session, if any message has mentioned it before.
    pub fn session(&self) -> Option<&Session> {
        self.connection.session(self.session_id)
    }
}

/// A function that is called for each event about plans.
pub(super) struct PlanObserver(Box<dyn FnMut(&PlanEvent<'_>) + Send>);

impl PlanObserver {
    pub(super) fn new(see: impl FnMut(&PlanEvent<'_>) + Send + 'static) -> Self {
        Self(Box::new(see))
    }

    pub(super) fn see(&mut self, sight: &PlanEvent<'_>) {
        (self.0)(sight);
    }
}

impl fmt::Debug for PlanObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlanObserver")
    }
}
