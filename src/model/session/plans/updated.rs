//! The event of a plan update: its snapshot, and how that differs from what the client shows.

use std::ops::Deref;

use crate::{
    event::Update,
    model::session::plans::{diff::Diff, snapshot::PlanSnapshot},
};

/// A `plan` or `plan_update`: what the client is to show now, and how that differs from what it
/// shows. Rules on plans get this as their event.
#[derive(Clone, Debug)]
pub struct PlanUpdated<'t> {
    pub update: &'t Update<'t>,
    pub snapshot: PlanSnapshot<'t>,
    /// How the plan's entries relate to those that the client shows; `None` when it is not a plan
    /// with entries.
    pub diff: Option<Diff>,
}

impl<'t> Deref for PlanUpdated<'t> {
    type Target = Update<'t>;

    fn deref(&self) -> &Update<'t> {
        self.update
    }
}
