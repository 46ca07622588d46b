//! What users and programs read: the formats, and what all of them are made from.
//!
//! A format is a file here and an arm of each `match` on [`Format`]. Diagnostics are written one by
//! one as they are found; what is known only at the end of a file stands around them. Core types are
//! never serialized: each format has a shape of its own.

use std::{
    fmt,
    io::{self, Write},
};

use crate::{
    check::{Outcome, Tally},
    diagnostic::Diagnostic,
    rule::Severity,
    source::Locator,
};

pub mod compliance;
mod concise;
pub mod fingerprint;
mod full;
mod json;
pub mod plans;
pub mod rules;
mod statistics;

pub use full::draw;
pub use statistics::Statistics;

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// With the text around each place, for people.
    #[default]
    Full,
    /// One line each, for editors and `grep`.
    Concise,
    /// One document, for programs.
    Json,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Full, Self::Concise, Self::Json];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Concise => "concise",
            Self::Json => "json",
        }
    }

    /// Whether people read it: then it may have colours, and ends with a sentence.
    pub fn is_text(self) -> bool {
        match self {
            Self::Full | Self::Concise => true,
            Self::Json => false,
        }
    }

    /// Writes what stands before the first file.
    pub fn begin(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Full | Self::Concise => Ok(()),
            Self::Json => json::begin(out),
        }
    }

    /// Writes one diagnostic, and tells how many bytes before its end [`Format::repeats`] goes.
    pub fn diagnostic(
        self,
        entry: Entry<'_>,
        look: Look,
        locator: &mut Locator<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<usize> {
        match self {
            Self::Full => full::diagnostic(entry, look, locator, out),
            Self::Concise => concise::diagnostic(entry, look, locator, out),
            Self::Json => json::diagnostic(entry, locator, out),
        }
    }

    /// What is added to a diagnostic that stands for `more` others.
    pub fn repeats(self, more: u64) -> String {
        match self {
            Self::Full => full::repeats(more),
            Self::Concise => concise::repeats(more),
            Self::Json => json::repeats(more),
        }
    }

    /// Writes what stands before the diagnostics of a file.
    pub fn begin_file(self, file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Full | Self::Concise => Ok(()),
            Self::Json => json::begin_file(file, out),
        }
    }

    /// Writes what stands behind the diagnostics of a file.
    pub fn end_file(self, file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Full | Self::Concise => Ok(()),
            Self::Json => json::end_file(file, out),
        }
    }

    /// Writes what stands behind the last file.
    pub fn end(self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Full | Self::Concise => Ok(()),
            Self::Json => json::end(summary, out),
        }
    }
}

/// A diagnostic in its file.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub diagnostic: &'a Diagnostic,
    /// The file's path as the user gave it.
    pub file: &'a str,
    /// Number in the file, from 0.
    pub index: u64,
}

/// How text for people looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub color: bool,
    /// Columns of the terminal; `None` when the text does not go to one.
    pub columns: Option<usize>,
}

impl Look {
    /// For files and pipes.
    pub const PLAIN: Self = Self { color: false, columns: None };

    /// How wide paragraphs are.
    fn width(self) -> usize {
        self.columns.map_or(100, |columns| columns.clamp(40, 120))
    }

    /// The text in the style, if there are colours at all.
    pub fn paint(self, text: &str, style: owo_colors::Style) -> String {
        if self.color { style.style(text).to_string() } else { text.to_owned() }
    }

    fn severity(self, severity: Severity) -> owo_colors::Style {
        let style = owo_colors::Style::new();
        if !self.color {
            return style;
        }
        match severity {
            Severity::Error => style.red().bold(),
            Severity::Warning => style.yellow().bold(),
            Severity::Info | Severity::Off => style.cyan().bold(),
        }
    }
}

/// A transcript that has been judged, without its diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// As the user gave it.
    pub path: &'a str,
    /// The name of the format it was read as.
    pub format: &'a str,
    pub outcome: &'a Outcome,
    /// Number in the report, from 0.
    pub index: u64,
    /// How often each rule was reported, by index in the catalogue; if asked for.
    pub findings: Option<&'a [u64]>,
}

/// How many diagnostics of each severity there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub errors: u64,
    pub warnings: u64,
    pub infos: u64,
}

impl Counts {
    pub fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
            Severity::Off => {}
        }
    }

    /// Whether there is a diagnostic of this severity or a higher one.
    pub fn reach(self, severity: Severity) -> bool {
        match severity {
            Severity::Error => self.errors > 0,
            Severity::Warning => self.errors + self.warnings > 0,
            Severity::Info | Severity::Off => self.errors + self.warnings + self.infos > 0,
        }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.infos += other.infos;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "info")];
        let mut separator = "";
        for (count, noun) in counts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{}", Many(count, noun))?;
            separator = ", ";
        }
        Ok(())
    }
}

/// What is known when all files have been read.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub files: u64,
    /// Files with at least one diagnostic.
    pub faulty: u64,
    pub messages: u64,
    pub counts: Counts,
    /// Inputs that were not judged, each with the reason.
    pub unread: Vec<(String, String)>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, messages) = (Many(self.files, "file"), Many(self.messages, "message"));
        if self.counts == Counts::default() {
            write!(f, "No findings in {files} ({messages}).")
        } else if self.files == 1 {
            write!(f, "Found {} in {files} ({messages}).", self.counts)
        } else {
            write!(f, "Found {} in {} of {files} ({messages}).", self.counts, self.faulty)
        }
    }
}

/// A number with its noun.
struct Many(u64, &'static str);

impl fmt::Display for Many {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {noun}{plural}")
    }
}

/// Name and version of this program.
const TOOL: (&str, &str) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));

/// The package that the schemas come from, and its version.
fn revision() -> &'static str {
    let line = include_str!("../schema/UPSTREAM").lines().next().unwrap_or_default();
    line.strip_prefix("package ").unwrap_or(line)
}

/// The tally of a rule by its index; of one that the outcome does not know, an empty one.
fn tally(outcome: &Outcome, index: usize) -> Tally {
    outcome.tallies.get(index).copied().unwrap_or_default()
}
