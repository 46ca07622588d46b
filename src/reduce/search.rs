//! The search for the smallest recording that still has the finding.
//!
//! It begins with what the labelled messages cannot be without, and adds what stands next to them until
//! the finding is there. Then it leaves out what it can: sessions, turns, tool calls, messages, and in
//! the messages that are left members and elements, from the last one to the first.

use std::borrow::Cow;

use super::{
    members::{Container, LongString},
    pieces::Piece,
    units::Units,
};
use crate::{
    check::{self, Settings},
    map::Set,
    protocol::Side,
    redact::FindingKey,
    report::fingerprint::FingerprintDigest,
    rule::Severity,
    transcript::Format,
};

/// What identifies a finding when a shortened recording is compared with the original: rule,
/// severity, side, fingerprint and the line of the first label.
type Known = (&'static str, Severity, Option<Side>, FingerprintDigest, Option<u32>);

pub(super) fn known(finding: &FindingKey) -> Known {
    let FindingKey { rule, severity, bound, fingerprint, ref lines, .. } = *finding;
    (rule, severity, bound, fingerprint, lines.first().copied())
}

/// Decides whether a shortened recording still has the finding.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    pub(super) settings: &'a Settings,
    /// The finding to keep. Its line numbers are those of the first lines of pieces (lines or
    /// messages), so that they can be compared.
    pub(super) target: FindingKey,
    /// Keys of all findings of the recording. A shortened recording with another finding is
    /// rejected.
    pub(super) allowed: Set<Known>,
    /// The format in which a shortened recording must be recognized; `None` if any format will do.
    pub(super) format: Option<&'static Format>,
    /// How many messages may still be checked. At 0, every shortened recording is rejected.
    pub(super) left: u64,
}

impl Judge<'_> {
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Takes the cost of judging a shortened recording, in messages, from the budget.
    fn charge(&mut self, pieces: usize, bytes: usize) {
        /// Bytes of a message that count as one message in the budget, so that checking long
        /// messages costs more.
        const BYTES: usize = 4096;
        let cost = u64::try_from(pieces.max(bytes / BYTES).max(1)).unwrap_or(u64::MAX);
        self.left = self.left.saturating_sub(cost);
    }

    /// Whether a recording of only these pieces (lines or messages) has the finding at the same
    /// messages and no new finding. Always `false` when the budget is spent.
    pub(super) fn holds<'p>(&mut self, pieces: impl Iterator<Item = &'p Piece<'p>>) -> bool {
        if self.is_spent() {
            return false;
        }
        let mut bytes = Vec::new();
        let mut lines = Vec::new();
        let mut line = 1;
        for piece in pieces {
            lines.push((line, piece.line));
            bytes.extend_from_slice(&piece.bytes);
            line += piece.breaks();
        }
        self.charge(lines.len(), bytes.len());
        self.find(&bytes, &lines).is_some()
    }

    /// The finding to keep, as a check of the shortened recording `bytes` finds it. `None` when it
    /// is gone or another finding is new. `lines` has the first line of each piece in `bytes` and
    /// in the original.
    pub(super) fn find(&self, bytes: &[u8], lines: &[(u32, u32)]) -> Option<FindingKey> {
        let (diagnostics, outcome) = check::check(bytes, self.settings);
        if self.format.is_some_and(|format| outcome.format != Some(format.name)) {
            return None;
        }
        let old = |line: u32| {
            let behind = lines.partition_point(|(new, _)| *new <= line);
            lines[..behind].last().map_or(line, |(_, old)| *old)
        };
        let target = known(&self.target);
        let mut found = None;
        for diagnostic in &diagnostics {
            let finding = FindingKey::of(diagnostic);
            let lines = finding.lines.iter().map(|line| old(*line)).collect();
            let moved = FindingKey { lines, ..finding.clone() };
            let key = known(&moved);
            if !self.allowed.contains(&key) {
                return None;
            }
            if found.is_none() && key == target && moved.lines == self.target.lines {
                found = Some(finding);
            }
        }
        found
    }
}

/// The search for a smaller recording: all its pieces (lines or messages), and which of them are
/// still kept.
#[derive(Debug)]
pub(super) struct Search<'r, 'a> {
    pub(super) judge: Judge<'a>,
    pieces: Vec<Piece<'r>>,
    units: Units,
    kept: Vec<bool>,
    /// For each piece (line or message) of the recording: whether a message that the finding's
    /// labels mark depends on it, so that it is never left out.
    required: Vec<bool>,
}

impl<'r, 'a> Search<'r, 'a> {
    /// Starts a search with the messages that the finding's labels mark, and as many others as the
    /// finding needs. `None` when the finding does not appear, or the budget is spent.
    pub(super) fn begin(judge: Judge<'a>, pieces: Vec<Piece<'r>>, units: Units) -> Option<Self> {
        let is_labelled = |piece: &Piece<'_>, next: Option<&Piece<'_>>| {
            let end = next.map_or(u32::MAX, |next| next.line);
            judge.target.lines.iter().any(|line| (piece.line..end).contains(line))
        };
        let labelled = (0..pieces.len()).filter(|at| is_labelled(&pieces[*at], pieces.get(at + 1)));
        let labelled: Vec<usize> = labelled.collect();
        let required = units.closure(labelled.iter().copied());
        let mut search = Self { judge, kept: required.clone(), required, pieces, units };
        search.grow(&labelled).then_some(search)
    }

    /// Keeps more and more pieces (lines or messages) near the labelled ones until the finding
    /// appears. Returns whether it does.
    fn grow(&mut self, labelled: &[usize]) -> bool {
        /// How many pieces are added at first; each further step adds `FACTOR` times as many as the
        /// one before.
        const FIRST: usize = 8;
        const FACTOR: usize = 4;
        let last = labelled.last().copied().unwrap_or(self.pieces.len().saturating_sub(1));
        // What stands before the last label, the nearest first, then what follows.
        let order: Vec<usize> = (0..=last).rev().chain(last + 1..self.pieces.len()).collect();
        let mut count = FIRST;
        loop {
            if self.holds(&self.kept.clone()) {
                return true;
            }
            if self.kept.iter().all(|kept| *kept) || self.judge.is_spent() {
                return false;
            }
            let next = order.iter().take(count).chain(labelled).copied();
            self.kept = self.units.closure(next);
            count = count.saturating_mul(FACTOR);
        }
    }

    /// Whether the recording with only the pieces (lines or messages) marked in `kept` still has
    /// the finding and no new one. Runs a check.
    fn holds(&mut self, kept: &[bool]) -> bool {
        let Self { judge, pieces, .. } = self;
        judge.holds(pieces.iter().zip(kept).filter(|(_, kept)| **kept).map(|(piece, _)| piece))
    }

    /// Leaves out lines, members and elements until nothing more can be left out, or the budget is
    /// spent.
    pub(super) fn run(&mut self) {
        while (self.leave_out_pieces() | self.cut_members()) && !self.judge.is_spent() {}
    }

    /// Leaves out pieces (lines or messages), in large groups first: connections, sessions, turns,
    /// tool calls, single messages. Returns whether anything was left out.
    fn leave_out_pieces(&mut self) -> bool {
        let single = (0..self.pieces.len()).map(|at| vec![at]).collect();
        let mut levels = std::mem::take(&mut self.units.levels);
        levels.push(single);
        let mut has_left_out = false;
        loop {
            let mut is_changed = false;
            for level in &levels {
                let is_free = |unit: &usize| {
                    level[*unit].iter().any(|at| self.kept[*at] && !self.required[*at])
                };
                let units: Vec<usize> = (0..level.len()).rev().filter(is_free).collect();
                halve(units, |chunk| {
                    let mut kept = self.kept.clone();
                    let pieces = chunk.iter().flat_map(|unit| &level[*unit]).copied();
                    self.units.leave_out(&mut kept, pieces.filter(|at| !self.required[*at]));
                    if kept == self.kept {
                        return true;
                    }
                    let holds = self.holds(&kept);
                    if holds {
                        self.kept = kept;
                        is_changed = true;
                    }
                    holds
                });
            }
            has_left_out |= is_changed;
            if !is_changed || self.judge.is_spent() {
                break;
            }
        }
        levels.pop();
        self.units.levels = levels;
        has_left_out
    }

    /// Cuts members and elements out of the kept messages, from the last message to the first and
    /// from the outside in. Returns whether any could be cut out.
    fn cut_members(&mut self) -> bool {
        let mut has_cut = false;
        let format = self.judge.format;
        for at in (0..self.pieces.len()).rev().filter(|at| self.kept[*at]).collect::<Vec<_>>() {
            let mut index = 0;
            while let Some(container) = Container::nth(&self.pieces[at].bytes, format, index) {
                index += 1;
                let original = self.pieces[at].bytes.to_vec();
                self.judge.charge(1, original.len());
                let mut is_cut = vec![false; container.len()];
                halve(container.free(), |chunk| {
                    let mut tried = is_cut.clone();
                    for part in chunk {
                        tried[*part] = true;
                    }
                    let new = container.without(&original, format, &tried);
                    let holds = new.is_some_and(|new| self.holds_with(at, new));
                    if holds {
                        is_cut = tried;
                        has_cut = true;
                    }
                    holds
                });
                if self.judge.is_spent() {
                    return has_cut;
                }
            }
        }
        has_cut
    }

    /// Shortens long strings of the kept messages where the finding stays.
    pub(super) fn shorten_strings(&mut self) {
        let format = self.judge.format;
        for at in (0..self.pieces.len()).rev().filter(|at| self.kept[*at]).collect::<Vec<_>>() {
            let original = self.pieces[at].bytes.to_vec();
            let strings = LongString::all(&original, format);
            let mut is_short = vec![false; strings.len()];
            halve((0..strings.len()).collect(), |chunk| {
                let mut tried = is_short.clone();
                for string in chunk {
                    tried[*string] = true;
                }
                let short = strings.iter().zip(&tried).filter(|(_, short)| **short);
                let short: Vec<_> = short.map(|(string, _)| string).collect();
                let holds = self.holds_with(at, LongString::shortened(&original, &short));
                if holds {
                    is_short = tried;
                }
                holds
            });
        }
    }

    /// Replaces the bytes of piece number `at`, if the finding still appears then. Returns whether
    /// it does.
    fn holds_with(&mut self, at: usize, bytes: Vec<u8>) -> bool {
        let old = std::mem::replace(&mut self.pieces[at].bytes, Cow::Owned(bytes));
        let holds = self.holds(&self.kept.clone());
        if !holds {
            self.pieces[at].bytes = old;
        }
        holds
    }

    /// The pieces (lines or messages) of the recording that are still kept, in order.
    pub(super) fn left(&self) -> impl Iterator<Item = &Piece<'r>> {
        self.pieces.iter().zip(&self.kept).filter(|(_, kept)| **kept).map(|(piece, _)| piece)
    }
}

/// Tries to leave out all things at once, then halves of those that remain, quarters, and so on to
/// single ones. `leaves_out` returns whether it could leave out what it is given.
fn halve(mut things: Vec<usize>, mut leaves_out: impl FnMut(&[usize]) -> bool) {
    let mut size = things.len();
    while size > 0 {
        let chunks = things.chunks(size).filter(|chunk| !leaves_out(chunk));
        let left = chunks.flatten().copied().collect();
        things = left;
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
}
