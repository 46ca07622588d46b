//! Folds diagnostics into causes, for the report in full: what recurs is shown once, with a count.
//!
//! [`Causes`] takes the diagnostics of all files, one file at a time.

use std::io;

use super::{Plural, fingerprint::Fingerprint};
use crate::{diagnostic::Diagnostic, map::Map, protocol::Side, rule::Severity};

/// Most causes (groups of similar findings) that the format `full` shows without `--all`; the
/// others are counted.
pub(super) const SHOWN: usize = 30;

/// How many lines, and how many further files, the note below a cause names.
const NAMED: usize = 5;

/// Findings that most likely have one cause: the same rule, broken by the same side at the same
/// place of the same kind of message. The report in full draws the first of them.
#[derive(Debug)]
pub(super) struct Cause {
    severity: Severity,
    /// The index of the implementation at fault in [`Implementations`](super::implementations).
    pub(super) implementation: usize,
    /// The number of reported findings with this cause, in all files together.
    count: u64,
    /// The number of findings that were counted in place of reported ones (`Diagnostic::repeats`).
    /// Summaries do not include them.
    repeats: u64,
    /// The number of the first file with this cause, counted from 1 over the run; `last_file` is
    /// that of the latest one so far.
    first_file: u64,
    last_file: u64,
    /// The lines of the first findings after the drawn one in the first file, at most [`NAMED`].
    lines: Vec<u32>,
    /// The first finding with its excerpt, as drawn text; empty when enough causes were drawn
    /// before.
    pub(super) drawing: String,
    /// The paths of the next files with this cause, at most [`NAMED`].
    files: Vec<String>,
    /// The number of files with this cause besides the first, including those not named.
    other_files: u64,
}

impl Cause {
    /// Counts a further finding with this cause. `file` is the number of its file in the run, from
    /// 1.
    fn add(&mut self, diagnostic: &Diagnostic, file: u64, path: &str) {
        self.count += 1;
        self.repeats += diagnostic.repeats;
        if self.first_file == file {
            let line = diagnostic.finding.labels.first().map(|label| label.span.line);
            if let Some(line) = line.filter(|line| self.lines.last() != Some(line))
                && self.lines.len() < NAMED
            {
                self.lines.push(line);
            }
        } else if self.last_file != file {
            self.last_file = file;
            self.other_files += 1;
            if self.files.len() < NAMED {
                self.files.push(path.to_owned());
            }
        }
    }
}

/// A text that is equal for findings of one cause. For rules about schemas it includes the message,
/// which names the member at fault. A place inside `params` or `result` counts once for all
/// methods, since a peer that writes a value wrong in one writes it wrong in all.
fn key(diagnostic: &Diagnostic) -> String {
    let mut fingerprint = Fingerprint::of(diagnostic);
    let is_in_value =
        |shape: &String| shape.starts_with("/params/") || shape.starts_with("/result/");
    if fingerprint.shape.as_ref().is_some_and(is_in_value) {
        fingerprint.method = None;
    }
    let digest = fingerprint.digest();
    let (side, severity) = (Side::index(diagnostic.bound), diagnostic.severity);
    let is_of_schema = diagnostic.rule.family() == "schema";
    let message = if is_of_schema { &*diagnostic.finding.message } else { "" };
    format!("{digest} {side} {severity} {message}")
}

/// The causes (groups of similar findings) in all files, in the order of their first findings.
#[derive(Debug, Default)]
pub(super) struct Causes {
    all: Vec<Cause>,
    index: Map<String, usize>,
    /// The number of causes so far of each severity, by `Severity as usize`.
    counts: [usize; 4],
    files: u64,
}

impl Causes {
    /// Adds the findings of the next file, each with the index of the implementation at fault.
    /// `draw` makes the text of a cause's first finding, for the first `most` causes of each
    /// severity. Fails when reading the file fails.
    pub(super) fn add<'d>(
        &mut self,
        path: &str,
        diagnostics: impl Iterator<Item = (&'d Diagnostic, usize)>,
        most: usize,
        mut draw: impl FnMut(&Diagnostic) -> io::Result<String>,
    ) -> io::Result<()> {
        self.files += 1;
        let file = self.files;
        for (diagnostic, implementation) in diagnostics {
            let severity = diagnostic.severity;
            let place = *self.index.entry(key(diagnostic)).or_insert(self.all.len());
            if let Some(known) = self.all.get_mut(place) {
                known.add(diagnostic, file, path);
                continue;
            }
            let count = &mut self.counts[severity as usize];
            let drawing = if *count < most { draw(diagnostic)? } else { String::new() };
            *count += 1;
            self.all.push(Cause {
                severity,
                implementation,
                count: 1,
                repeats: diagnostic.repeats,
                first_file: file,
                last_file: file,
                lines: Vec::new(),
                drawing,
                files: Vec::new(),
                other_files: 0,
            });
        }
        Ok(())
    }

    /// The causes that the report shows, at most `most`, and the number of the others. Those of
    /// several files begin with the most severe; those of one file are in the order of the
    /// messages.
    pub(super) fn shown(&self, most: usize) -> (Vec<&Cause>, usize) {
        let mut shown: Vec<(usize, &Cause)> = self.all.iter().enumerate().collect();
        shown.sort_by_key(|(place, cause)| (std::cmp::Reverse(cause.severity), *place));
        let others = shown.len().saturating_sub(most);
        shown.truncate(most);
        if self.files == 1 {
            shown.sort_by_key(|(place, _)| *place);
        }
        (shown.into_iter().map(|(_, cause)| cause).collect(), others)
    }
}

impl Cause {
    /// A sentence on how often the finding recurs and where; `None` when it does not recur.
    pub(super) fn note(&self) -> Option<String> {
        let repeats = match self.repeats {
            0 => None,
            1 => Some("the same place once more, counted once".to_owned()),
            repeats => Some(format!("the same place {repeats} times more, counted once")),
        };
        let more = self.count - 1;
        if more == 0 {
            return repeats;
        }
        let place = if self.other_files > 0 {
            let files: Vec<_> = self.files.iter().map(|file| format!("`{file}`")).collect();
            let others = match self.other_files - self.files.len() as u64 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            let count = Plural(self.other_files, "other file");
            format!(", also in {count}: {}{others}", files.join(", "))
        } else if let [line] = self.lines.as_slice() {
            format!(", in line {line}")
        } else if self.lines.is_empty() {
            String::new()
        } else {
            let lines: Vec<_> = self.lines.iter().map(u32::to_string).collect();
            let ellipsis = if self.lines.len() == NAMED { ", …" } else { "" };
            format!(", in lines {}{ellipsis}", lines.join(", "))
        };
        let repeats = repeats.map(|repeats| format!("; {repeats}")).unwrap_or_default();
        Some(format!("{more} more like it{place}{repeats}"))
    }
}
