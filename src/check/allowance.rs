//! The allowance of a file: how many findings are looked for in it. It bounds by the size of the file
//! the time that they take.
//!
//! A finding costs a hundred times as much as the bytes of an ordinary message. Without a bound, an
//! agent could write a file of faults that takes minutes to judge.

/// How many findings a file may have, by the number of its bytes so far.
#[derive(Debug, Default)]
pub(super) struct Allowance {
    /// Number of findings so far, reported or not.
    found: u64,
    /// Number of bytes of the file up to the end of the current message.
    reached: u64,
}

impl Allowance {
    /// Number of findings that every file may have: more than a reader looks at.
    pub(super) const FREE: u64 = 4_000;
    /// Number of bytes for each of which a file may have one more finding: about half of the
    /// shortest message of use.
    pub(super) const BYTES: u64 = 64;

    /// Notes that the file is read up to this place, in bytes.
    pub(super) fn reach(&mut self, end: u64) {
        self.reached = self.reached.max(end);
    }

    /// Counts a finding.
    pub(super) fn add(&mut self) {
        self.found += 1;
    }

    /// Allows as many findings as at the beginning for the end of the file, so that no noise hides
    /// what is missing there.
    pub(super) fn end(&mut self) {
        self.found = self.found.saturating_sub(Self::FREE);
    }

    /// Number of findings that the file may still have.
    pub(super) fn left(&self) -> u64 {
        (Self::FREE + self.reached / Self::BYTES).saturating_sub(self.found)
    }

    /// Whether no further rule may run on the current message, which then counts as not judged.
    pub(super) fn is_over(&self) -> bool {
        self.left() == 0
    }
}
