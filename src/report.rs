//! What users and programs read: the formats, and what all of them are made from.
//!
//! A format is a file here and an arm of each `match` in it. Diagnostics are written one by one as
//! they are found, on several threads: a [`Section`] writes those of one file and needs nothing of
//! the others; a [`Report`] puts the sections together in order, and writes what is known only at
//! the end of a file or of all of them. Core types are never serialized: each format has a shape of
//! its own.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
    mem,
    sync::LazyLock,
};

use crate::{
    check::{Outcome, Severities, Tally},
    diagnostic::Diagnostic,
    protocol::schema::{Upstream, supplied_hash, upstream},
    rule::Severity,
    source::{Locator, printable},
};

pub mod compliance;
mod concise;
mod filters;
pub mod fingerprint;
mod full;
mod github;
mod gitlab;
mod html;
mod json;
mod junit;
mod markdown;
mod ndjson;
pub mod plans;
mod rdjson;
pub mod rules;
mod sarif;
mod statistics;

use json::Elements;

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
    /// A document a line, for programs that read along.
    Ndjson,
    /// SARIF 2.1.0, for code hosts and editors.
    Sarif,
    /// Test results, for CI servers.
    Junit,
    /// Workflow commands, for GitHub Actions.
    Github,
    /// A code quality report, for GitLab.
    Gitlab,
    /// For reviewdog.
    Rdjson,
    /// For a job summary or a comment.
    Markdown,
    /// A page that needs nothing else.
    Html,
}

impl Format {
    pub const ALL: [Self; 11] = [
        Self::Full,
        Self::Concise,
        Self::Json,
        Self::Ndjson,
        Self::Sarif,
        Self::Junit,
        Self::Github,
        Self::Gitlab,
        Self::Rdjson,
        Self::Markdown,
        Self::Html,
    ];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Rdjson => "rdjson",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Full => "With the text around each place",
            Self::Concise => "One line each: path:line:column: severity[rule] message",
            Self::Json => "One document, described by schema/report.schema.json",
            Self::Ndjson => "A JSON document a line, for programs that read along",
            Self::Sarif => "SARIF 2.1.0, for code scanning and editors",
            Self::Junit => "JUnit XML: a suite for each transcript and side, a case for each rule",
            Self::Github => "GitHub Actions workflow commands: annotations, the gravest first",
            Self::Gitlab => "GitLab code quality report",
            Self::Rdjson => "reviewdog diagnostics",
            Self::Markdown => "For a job summary or a comment; below 1 MiB, and says what was cut",
            Self::Html => "A page that loads nothing",
        }
    }

    /// Whether people read it as it comes: then it may have colours, and ends with a sentence.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Full | Self::Concise)
    }

    /// Whether it consists of lines that find their reader among the lines of a text.
    pub fn goes_with_text(self) -> bool {
        matches!(self, Self::Github)
    }

    /// Whether it can be read as far as it has been written.
    pub fn is_read_along(self) -> bool {
        matches!(self, Self::Full | Self::Concise | Self::Ndjson)
    }

    /// Whether it tells how often rules were exercised, even where nobody has asked for statistics.
    pub fn needs_tallies(self) -> bool {
        matches!(self, Self::Junit)
    }

    /// Whether its beginning needs what is known at the end: then [`Report::begin`] is for when all
    /// files have been taken, and what it writes goes before all else.
    pub fn begins_last(self) -> bool {
        matches!(self, Self::Junit | Self::Html)
    }

    /// What is added to a diagnostic that stands for `more` others, in the place that
    /// [`Section::add`] told.
    pub fn repeats(self, more: u64) -> String {
        match self {
            Self::Full => full::repeats(more),
            Self::Concise => concise::repeats(more),
            Self::Json | Self::Ndjson => json::repeats(more),
            Self::Sarif => sarif::repeats(more),
            Self::Gitlab | Self::Rdjson => format!(" ({})", like_it(more)),
            Self::Html => html::repeats(more),
            // They know it when they are told of the file's end.
            Self::Junit | Self::Github | Self::Markdown => String::new(),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The diagnostics of one file in one format, while they are found.
#[derive(Debug)]
pub enum Section {
    Full(Look),
    Concise(Look),
    Json,
    Ndjson,
    Sarif(sarif::Section),
    Junit(junit::Section),
    Github(github::Section),
    Gitlab(gitlab::Section),
    Rdjson,
    Markdown(markdown::Section),
    Html,
}

impl Section {
    /// `look`: for the formats that people read as they come.
    pub fn new(format: Format, look: Look) -> Self {
        match format {
            Format::Full => Self::Full(look),
            Format::Concise => Self::Concise(look),
            Format::Json => Self::Json,
            Format::Ndjson => Self::Ndjson,
            Format::Sarif => Self::Sarif(sarif::Section::default()),
            Format::Junit => Self::Junit(junit::Section::default()),
            Format::Github => Self::Github(github::Section::default()),
            Format::Gitlab => Self::Gitlab(gitlab::Section::default()),
            Format::Rdjson => Self::Rdjson,
            Format::Markdown => Self::Markdown(markdown::Section::default()),
            Format::Html => Self::Html,
        }
    }

    /// Writes a diagnostic, the next one of its file, or takes it down for the file's end. Tells how
    /// many bytes before the end of `out` [`Format::repeats`] goes.
    pub fn add(
        &mut self,
        entry: Entry<'_>,
        locator: &mut Locator<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<usize> {
        match self {
            Self::Full(look) => full::diagnostic(entry, *look, locator, out),
            Self::Concise(look) => concise::diagnostic(entry, *look, locator, out),
            Self::Json => json::diagnostic(entry, locator, out),
            Self::Ndjson => ndjson::diagnostic(entry, locator, out),
            Self::Sarif(section) => section.add(entry, locator, out),
            Self::Junit(section) => section.add(entry, locator).map(|()| 0),
            Self::Github(section) => section.add(entry, locator).map(|()| 0),
            Self::Gitlab(section) => section.add(entry, locator, out),
            Self::Rdjson => rdjson::diagnostic(entry, locator, out),
            Self::Markdown(section) => section.add(entry, locator).map(|()| 0),
            Self::Html => html::diagnostic(entry, locator, out),
        }
    }
}

/// What a report is told beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The least severity of a failure.
    pub fail_on: Severity,
}

/// All that is found in one format, put together.
#[derive(Debug)]
pub enum Report {
    /// Text for people: there is nothing around the diagnostics.
    Text,
    Json,
    Ndjson,
    Sarif(sarif::Report),
    Junit(junit::Report),
    Github(github::Report),
    Gitlab(Elements),
    Rdjson(Elements),
    Markdown(markdown::Report),
    Html(html::Report),
}

impl Report {
    pub fn new(format: Format, terms: Terms) -> Self {
        match format {
            Format::Full | Format::Concise => Self::Text,
            Format::Json => Self::Json,
            Format::Ndjson => Self::Ndjson,
            Format::Sarif => Self::Sarif(sarif::Report::default()),
            Format::Junit => Self::Junit(junit::Report::new(terms)),
            Format::Github => Self::Github(github::Report::default()),
            Format::Gitlab => Self::Gitlab(Elements::default()),
            Format::Rdjson => Self::Rdjson(Elements::default()),
            Format::Markdown => Self::Markdown(markdown::Report::default()),
            Format::Html => Self::Html(html::Report::default()),
        }
    }

    /// Writes what stands before the first file; `summary` is that of all files if
    /// [`Format::begins_last`], else an empty one.
    pub fn begin(&self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text | Self::Github(_) | Self::Markdown(_) => Ok(()),
            Self::Json => json::begin(out),
            Self::Ndjson => ndjson::begin(out),
            Self::Sarif(_) => sarif::begin(out),
            Self::Junit(report) => report.begin(out),
            Self::Gitlab(_) => gitlab::begin(out),
            Self::Rdjson(_) => rdjson::begin(out),
            Self::Html(report) => report.begin(summary, out),
        }
    }

    /// Writes what stands before the diagnostics of a file. What its section has written follows,
    /// and then [`Report::end_file`].
    pub fn begin_file(&mut self, file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Json => json::begin_file(file, out),
            Self::Sarif(report) => report.begin_file(file, out),
            Self::Gitlab(elements) | Self::Rdjson(elements) => {
                write!(out, "{}", elements.before_file(file))
            }
            Self::Html(report) => report.begin_file(file, out),
            Self::Text | Self::Ndjson | Self::Junit(_) | Self::Github(_) | Self::Markdown(_) => {
                Ok(())
            }
        }
    }

    /// Writes what stands behind the diagnostics of a file. `section`: the file's, which is of the
    /// same format; what it has taken down is taken from it.
    pub fn end_file(
        &mut self,
        file: &File<'_>,
        section: &mut Section,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match (self, section) {
            (Self::Json, _) => json::end_file(file, out),
            (Self::Ndjson, _) => ndjson::end_file(file, out),
            (Self::Junit(report), Section::Junit(section)) => report.end_file(file, section, out),
            (Self::Github(report), Section::Github(section)) => {
                report.take(file, mem::take(section));
                Ok(())
            }
            (Self::Markdown(report), Section::Markdown(section)) => {
                report.take(file, mem::take(section));
                Ok(())
            }
            (Self::Html(_), _) => html::end_file(out),
            (
                Self::Text
                | Self::Sarif(_)
                | Self::Junit(_)
                | Self::Github(_)
                | Self::Gitlab(_)
                | Self::Rdjson(_)
                | Self::Markdown(_),
                _,
            ) => Ok(()),
        }
    }

    /// Writes that an input was not judged, and why.
    pub fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Ndjson => ndjson::unread(unread, out),
            Self::Junit(report) => report.unread(unread, out),
            Self::Gitlab(elements) => gitlab::unread(unread, elements, out),
            Self::Rdjson(elements) => rdjson::unread(unread, elements, out),
            // At the end.
            Self::Text
            | Self::Json
            | Self::Sarif(_)
            | Self::Github(_)
            | Self::Markdown(_)
            | Self::Html(_) => Ok(()),
        }
    }

    /// Writes what stands behind the last file.
    pub fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text => Ok(()),
            Self::Json => json::end(summary, out),
            Self::Ndjson => ndjson::end(summary, out),
            Self::Sarif(report) => report.end(summary, out),
            Self::Junit(_) => junit::end(out),
            Self::Github(report) => report.end(summary, out),
            Self::Gitlab(_) => gitlab::end(out),
            Self::Rdjson(_) => rdjson::end(out),
            Self::Markdown(report) => report.end(summary, out),
            Self::Html(_) => html::end(out),
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
    pub counts: Counts,
    /// By which it was judged.
    pub severities: &'a Severities,
    /// How often each rule was reported, by index in the catalogue; if asked for.
    pub findings: Option<&'a [u64]>,
}

impl File<'_> {
    /// How many others the diagnostic with this number stands for; `None` for none.
    fn repeats(&self, index: u64) -> Option<u64> {
        let repeats = &self.outcome.repeats;
        let place = repeats.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        Some(repeats[place].1)
    }
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

    pub fn total(self) -> u64 {
        self.errors + self.warnings + self.infos
    }

    /// Whether there is a diagnostic of this severity or a higher one.
    pub fn reach(self, severity: Severity) -> bool {
        match severity {
            Severity::Error => self.errors > 0,
            Severity::Warning => self.errors + self.warnings > 0,
            Severity::Info | Severity::Off => self.total() > 0,
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
    /// Findings that a baseline holds back; they are not among the counts.
    pub held_back: u64,
    pub unread: Vec<Unread>,
}

/// An input that was not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// As the user gave it.
    pub path: String,
    /// A sentence without a full stop.
    pub reason: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, messages) = (Many(self.files, "file"), Many(self.messages, "message"));
        if self.counts == Counts::default() {
            let new = if self.held_back == 0 { "" } else { "new " };
            write!(f, "No {new}findings in {files} ({messages}).")
        } else if self.files == 1 {
            write!(f, "Found {} in {files} ({messages}).", self.counts)
        } else {
            write!(f, "Found {} in {} of {files} ({messages}).", self.counts, self.faulty)
        }?;
        match supplied_hash() {
            Some(hash) => write!(f, " Judged by schemas of your own ({}…).", &hash[..12]),
            None => write!(f, " Judged by ACP schemas of {}.", upstream().date),
        }?;
        match self.held_back {
            0 => Ok(()),
            1 => write!(f, " The baseline holds back 1 finding."),
            held_back => write!(f, " The baseline holds back {held_back} findings."),
        }?;
        match self.unread.len() {
            0 => Ok(()),
            unread => write!(f, " {} could not be read.", Many(unread as u64, "input")),
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

/// How it is said that a diagnostic stands for others.
fn like_it(more: u64) -> String {
    format!("and {more} more like it")
}

/// The path as code hosts want it, which compare it with those in the repository.
fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").map_or(path, |path| path.trim_start_matches('/'))
}

/// A diagnostic's own message for a place that shows it to people: nothing in it moves the cursor
/// or hides text.
fn message(diagnostic: &Diagnostic) -> Cow<'_, str> {
    printable(&diagnostic.finding.message)
}

/// The revision of the protocol that messages are judged by, and the package of its schemas.
fn revision() -> &'static str {
    static REVISION: LazyLock<String> = LazyLock::new(|| {
        let Upstream { package, date, .. } = upstream();
        match supplied_hash() {
            Some(hash) => {
                format!(
                    "schemas of your own (sha256 {hash}), else ACP schemas of {date} ({package})"
                )
            }
            None => format!("ACP schemas of {date} ({package})"),
        }
    });
    &REVISION
}

/// The tally of a rule by its index; of one that the outcome does not know, an empty one.
fn tally(outcome: &Outcome, index: usize) -> Tally {
    outcome.tallies.get(index).copied().unwrap_or_default()
}
