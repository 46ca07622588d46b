//! Folds diagnostics into causes, for the report in full: what recurs is shown once, with a count.
//!
//! Diagnostics of one file go into [`of_file`], causes come out. [`Causes`] takes those of all files
//! and folds them again.

use serde::{Deserialize, Serialize};

use super::{Plural, compliance::JsonName, fingerprint::FingerprintDigest};
use crate::{diagnostic::Diagnostic, map::Map, protocol::Side, rule::Severity};

/// How many causes of one severity are shown, unless the user wants all.
pub(super) const SHOWN: usize = 30;

/// How many lines, and how many files, of one cause are named.
const NAMED: usize = 5;

/// Findings that most likely have one cause: the same rule broken by the same side in the same place
/// of the same kind of message.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Cause {
    /// Equal for findings of one cause, in all files.
    key: String,
    severity: JsonName<Severity>,
    /// The number of findings.
    count: u64,
    /// The number of findings that these stand for, which no summary counts.
    repeats: u64,
    /// The lines of the first findings after the one that is drawn.
    lines: Vec<u32>,
    /// The text that shows the first finding; empty when it is not shown.
    pub(super) drawing: String,
    /// The other files with this cause: the first names, and the number of all.
    #[serde(skip)]
    files: Vec<String>,
    #[serde(skip)]
    other_files: u64,
}

/// The causes in the diagnostics of one file, each with its first diagnostic. Their drawings are empty.
pub(super) fn of_file(diagnostics: &[Diagnostic], least: Severity) -> Vec<(Cause, &Diagnostic)> {
    let mut causes: Vec<(Cause, &Diagnostic)> = Vec::new();
    let mut index = Map::default();
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
        let key = key(diagnostic);
        let place = *index.entry(key.clone()).or_insert(causes.len());
        let repeats = diagnostic.repeats;
        match causes.get_mut(place) {
            None => {
                let severity = JsonName(diagnostic.severity);
                let cause = Cause {
                    key,
                    severity,
                    count: 1,
                    repeats,
                    lines: Vec::new(),
                    drawing: String::new(),
                    files: Vec::new(),
                    other_files: 0,
                };
                causes.push((cause, diagnostic));
            }
            Some((cause, _)) => {
                cause.count += 1;
                cause.repeats += repeats;
                let line = diagnostic.finding.labels.first().map(|label| label.span.line);
                if let Some(line) = line.filter(|line| cause.lines.last() != Some(line))
                    && cause.lines.len() < NAMED
                {
                    cause.lines.push(line);
                }
            }
        }
    }
    causes
}

/// Equal for findings of one cause. What rules about schemas say names the member that is at fault,
/// which their place alone does not.
fn key(diagnostic: &Diagnostic) -> String {
    let digest = FingerprintDigest::of(diagnostic);
    let (side, severity) = (Side::index(diagnostic.bound), diagnostic.severity);
    let is_of_schema = diagnostic.rule.family() == "schema";
    let message = if is_of_schema { &*diagnostic.finding.message } else { "" };
    format!("{digest} {side} {severity} {message}")
}

/// The causes of all files, in the order of their first findings.
#[derive(Debug, Default)]
pub(super) struct Causes {
    all: Vec<Cause>,
    index: Map<String, usize>,
    /// The number of causes with a drawing, by severity.
    drawn: [usize; 4],
    files: u64,
}

impl Causes {
    /// Adds the causes of a file. `most`: how many of one severity keep their drawing.
    pub(super) fn add(&mut self, path: &str, causes: impl Iterator<Item = Cause>, most: usize) {
        self.files += 1;
        for mut cause in causes {
            let place = *self.index.entry(cause.key.clone()).or_insert(self.all.len());
            match self.all.get_mut(place) {
                None => {
                    let drawn = &mut self.drawn[cause.severity.0 as usize];
                    if *drawn == most {
                        cause.drawing = String::new();
                    } else {
                        *drawn += 1;
                    }
                    self.all.push(cause);
                }
                Some(known) => {
                    known.count += cause.count;
                    known.repeats += cause.repeats;
                    known.other_files += 1;
                    if known.files.len() < NAMED {
                        known.files.push(path.to_owned());
                    }
                }
            }
        }
    }

    /// The causes to show, and the number of the others. `most`: how many are shown. Those of several
    /// files come the most severe first, those of one file in the order of the messages.
    pub(super) fn shown(&self, most: usize) -> (Vec<&Cause>, usize) {
        let mut shown: Vec<(usize, &Cause)> = self.all.iter().enumerate().collect();
        shown.sort_by_key(|(place, cause)| (std::cmp::Reverse(cause.severity.0), *place));
        let others = shown.len().saturating_sub(most);
        shown.truncate(most);
        if self.files == 1 {
            shown.sort_by_key(|(place, _)| *place);
        }
        (shown.into_iter().map(|(_, cause)| cause).collect(), others)
    }
}

impl Cause {
    /// How often it recurs, and where; `None` when it does not.
    pub(super) fn note(&self) -> Option<String> {
        let repeats = match self.repeats {
            0 => None,
            1 => Some("1 repeat, which is not counted".to_owned()),
            repeats => Some(format!("{repeats} repeats, which are not counted")),
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
