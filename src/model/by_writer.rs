//! Counts by who wrote what is counted: what a side wrote itself excuses it from nothing.

use crate::protocol::Side;

/// A count for the client, for the agent, and for unknown writers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountsByWriter([u64; 3]);

impl CountsByWriter {
    pub(super) fn add(&mut self, writer: Option<Side>, count: u64) {
        self.0[Side::index(writer)] += count;
    }

    /// The count of what `side` has not written, as far as that is known; all for `None`.
    pub(super) fn of_others(&self, side: Option<Side>) -> u64 {
        let own = side.map_or(0, |side| self.0[side as usize]);
        self.0.iter().sum::<u64>() - own
    }
}
