//! Which of the rules that apply to a side were exercised, over several transcripts.

use crate::{
    check::{Outcome, Severities, Tally},
    protocol::{Side, Surface, Version},
    rule::Severity,
    rules::CATALOGUE,
};

/// Counts over several transcripts which rules about one side were exercised, and which were
/// broken.
#[derive(Clone, Debug)]
pub struct Exercise {
    side: Side,
    /// The counts of each rule about the side, by the rule's index in the catalogue.
    rows: Vec<Row>,
}

/// How often the side kept and broke one rule, and whether the rule applies.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    tally: Tally,
    /// Whether the rule is on and applies to the side in any of the transcripts.
    applies: bool,
}

impl Exercise {
    /// A counter of exercised rules about this side, which has counted nothing yet.
    pub fn of(side: Side) -> Self {
        Self { side, rows: vec![Row::default(); CATALOGUE.len()] }
    }

    /// Adds the counts of a transcript that was judged with these severities. Does nothing when the
    /// transcript had no messages.
    pub fn add(&mut self, outcome: &Outcome, severities: &Severities) {
        if outcome.messages == 0 {
            return;
        }
        let version = outcome.surface.map_or(Version::V1, Surface::version);
        for (index, row) in self.rows.iter_mut().enumerate() {
            row.applies |= CATALOGUE[index].applies_to(self.side, version, outcome.edition)
                && severities.of(index).severity.of(version) != Severity::Off;
            if let Some(sides) = outcome.sides.get(index) {
                let own = sides[Side::index(Some(self.side))];
                // A rule without a finding was kept by both sides.
                let either = sides[Side::index(None)];
                let either = if either.failed == 0 { either } else { Tally::default() };
                row.tally.exercised += own.exercised + either.exercised;
                row.tally.failed += own.failed;
            }
        }
    }

    /// Number of rules that were exercised and never broken.
    pub fn upheld(&self) -> usize {
        self.count(|tally| tally.exercised > 0 && tally.failed == 0)
    }

    /// Number of rules about the side that were exercised.
    pub fn exercised(&self) -> usize {
        self.count(|tally| tally.exercised > 0)
    }

    /// Number of rules about the side that are switched on and apply to the versions in use.
    pub fn all(&self) -> usize {
        self.count(|_| true)
    }

    fn count(&self, is_wanted: impl Fn(Tally) -> bool) -> usize {
        self.rows.iter().filter(|row| row.applies && is_wanted(row.tally)).count()
    }
}
