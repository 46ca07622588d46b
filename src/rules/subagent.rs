//! Rules about subagents: sessions that an agent starts within a session.

pub(crate) mod announcement;
pub(super) mod mutation_not_permitted;
pub(super) mod parent_changed;
pub(super) mod state_mismatch;
pub(super) mod traffic_before_announcement;
