//! Makes the smallest recording that still has a finding, to be sent to those who can mend it.
//!
//! Bytes of a recording and one of its findings go in; lines of the recording come out. Messages,
//! members and elements are left out; nothing is added, reordered or renumbered. The checker judges
//! each candidate: the finding stands at the same message with its labels at the same messages, and
//! there is no finding that the recording does not have at the same message.
//!
//! ```text
//! bytes ─▶ pieces ─▶ units ────────▶ search ◀──▶ check
//!          lines,    what needs      fewer and    is the finding
//!          messages  what            fewer        still there?
//! ```

mod issue;
mod members;
mod pieces;
mod search;
mod units;

use crate::{
    check::{Check, Settings},
    redact::FindingKey,
    transcript::{self, Format},
};
pub use issue::Issue;
use pieces::{Rewritten, by_piece, has_lines, pieces};
use search::{Judge, Search, known};
use units::{Note, Units};

/// The default of `Limits::budget`: most messages that are checked in all attempts together.
pub const BUDGET: u64 = 20_000_000;

/// The limits that the user sets for a reduction.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most messages that are checked in all attempts together, before the search stops with what
    /// it has.
    pub budget: u64,
    /// Whether long strings are shortened in the messages that remain.
    pub shortens: bool,
}

/// The result of [`reduce`]: the smaller recording, and counts for the report to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    pub bytes: Vec<u8>,
    /// The number of messages that remain, including text that a peer sent in the place of a
    /// message.
    pub messages: usize,
    /// The number of messages in the whole recording, counted as for `messages`.
    pub all_messages: usize,
    /// For each part (line or message) that remains: its first line in `bytes`, and its first line
    /// in the original recording; both from 1.
    pub lines: Vec<(u32, u32)>,
    /// The finding that was to be kept, with its lines in the reduced recording.
    pub finding: FindingKey,
    /// Whether each message was first written on a line by itself, because lines of the recording's
    /// own format cannot be left out.
    pub is_rewritten: bool,
    /// Whether the budget ended the search, so that more might be left out.
    pub is_unfinished: bool,
}

/// Finds the smallest recording that still has the finding `target`. `None` when the recording does
/// not have the finding, or no shortened one keeps it. Costs a check of each shortened recording,
/// up to `limits.budget` messages in all.
pub fn reduce(
    recording: &[u8],
    target: &FindingKey,
    settings: &Settings,
    limits: Limits,
) -> Option<Reduced> {
    let (mut check, notes) = units::watched(Check::new(settings));
    check.feed(recording);
    let (diagnostics, outcome) = check.finish();
    let findings: Vec<_> = diagnostics.iter().map(FindingKey::of).collect();
    let is_target = |it: &FindingKey| known(it) == known(target) && it.lines == target.lines;
    if !findings.iter().any(is_target) {
        return None;
    }
    let format = outcome.format.and_then(transcript::find).or(settings.format);
    if format.is_none_or(has_lines) {
        let job = Job { recording, settings, target, findings: &findings, format, limits };
        return job.reduced(notes);
    }
    let rewritten = Rewritten::of(recording, format);
    let settings = Settings { format: None, ..settings.clone() };
    let (mut check, notes) = units::watched(Check::new(&settings));
    check.feed(&rewritten.bytes);
    let (_, outcome) = check.finish();
    let moved = |finding: &FindingKey| {
        let lines = finding.lines.iter().map(|line| rewritten.line(*line));
        Some(FindingKey { lines: lines.collect::<Option<_>>()?, ..finding.clone() })
    };
    let findings: Vec<_> = findings.iter().filter_map(moved).collect();
    let job = Job {
        recording: &rewritten.bytes,
        settings: &settings,
        target: &moved(target)?,
        findings: &findings,
        format: outcome.format.and_then(transcript::find),
        limits,
    };
    Some(Reduced { is_rewritten: true, ..job.reduced(notes)? })
}

/// One reduction of a recording in which lines can be left out.
struct Job<'a> {
    recording: &'a [u8],
    settings: &'a Settings,
    target: &'a FindingKey,
    /// All findings of the recording; a shortened recording may have no others.
    findings: &'a [FindingKey],
    format: Option<&'static Format>,
    limits: Limits,
}

impl Job<'_> {
    /// Finds the smallest part of the recording that keeps the finding. `notes` is what the checker
    /// reports of each message. `None` when the finding is lost even without leaving anything out.
    fn reduced(&self, notes: impl IntoIterator<Item = Note>) -> Option<Reduced> {
        let Self { recording, settings, target, findings, format, limits } = *self;
        let pieces = pieces(recording, format);
        let all_messages = pieces.iter().filter(|piece| piece.is_sent).count();
        let units = Units::of(&pieces, notes);
        let judge = Judge {
            settings,
            target: by_piece(target, &pieces),
            allowed: findings.iter().map(|it| known(&by_piece(it, &pieces))).collect(),
            format,
            left: limits.budget,
        };
        let mut search = Search::begin(judge, pieces, units)?;
        search.run();
        if limits.shortens {
            search.shorten_strings();
        }
        let mut bytes = Vec::new();
        let (mut messages, mut line) = (0, 1);
        let mut lines: Vec<(u32, u32)> = Vec::new();
        for piece in search.left() {
            messages += usize::from(piece.is_sent);
            lines.push((line, piece.line));
            bytes.extend_from_slice(&piece.bytes);
            line += piece.breaks();
        }
        let finding = search.judge.find(&bytes, &lines)?;
        Some(Reduced {
            bytes,
            messages,
            all_messages,
            lines,
            finding,
            is_rewritten: false,
            is_unfinished: search.judge.is_spent(),
        })
    }
}
