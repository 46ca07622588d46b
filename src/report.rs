//! Reports: the formats, and what all of them are made from.
//!
//! What was found in a file goes in: a [`File`] and its diagnostics. [`Format::render`] writes them in
//! one format; it keeps nothing, so that files can be rendered on several threads. A [`Report`] then
//! takes the rendered files in their order, and writes what stands between and around them.
//!
//! To add a format, write `src/report/<name>.rs` with a `FORMAT`, and name it twice here: as a module,
//! and in [`FORMATS`]. Core types are never serialized: each format has a shape of its own.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    io::{self, BufRead, Write},
    sync::LazyLock,
};

use serde::{Deserialize, Serialize};

use crate::{
    check::{Outcome, Severities, Tally},
    diagnostic::Diagnostic,
    protocol::{
        Side,
        schema::{Upstream, supplied_hash, upstream},
    },
    rule::Severity,
    rules::CATALOGUE,
    source::{Locator, printable},
};

pub mod compliance;
mod concise;
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
mod template_filters;
mod text;

pub use full::draw;
pub use statistics::Statistics;

/// All formats, in the order in which help lists them.
pub static FORMATS: [&Format; 11] = [
    &full::FORMAT,
    &concise::FORMAT,
    &json::FORMAT,
    &ndjson::FORMAT,
    &sarif::FORMAT,
    &junit::FORMAT,
    &github::FORMAT,
    &gitlab::FORMAT,
    &rdjson::FORMAT,
    &markdown::FORMAT,
    &html::FORMAT,
];

/// The format of standard output where the user names none.
pub static DEFAULT: &Format = &full::FORMAT;

/// The format of this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// A format of reports.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait of its own")]
pub struct Format {
    /// As users write it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Whether people read it as it comes: it may have colours, and ends with a summary.
    pub is_text: bool,
    /// Whether it consists of lines that find their reader among the lines of a text.
    pub goes_with_text: bool,
    /// Whether it can be read as far as it has been written.
    pub is_read_along: bool,
    /// Whether it tells how often rules were exercised, even without `--statistics`.
    pub needs_tallies: bool,
    /// Whether its beginning needs what is known at the end: [`Report::begin`] is then called last.
    pub begins_last: bool,
    render: Render,
    report: fn(Options) -> Box<dyn Report>,
}

/// Writes the diagnostics of a file, as [`Format::render`] does.
type Render =
    fn(&File<'_>, &[Diagnostic], Options, &mut Locator<'_>, &mut dyn Write) -> io::Result<()>;

impl Format {
    /// A format that is written when it is complete.
    const fn new(
        name: &'static str,
        about: &'static str,
        render: Render,
        report: fn(Options) -> Box<dyn Report>,
    ) -> Self {
        Self {
            name,
            about,
            is_text: false,
            goes_with_text: false,
            is_read_along: false,
            needs_tallies: false,
            begins_last: false,
            render,
            report,
        }
    }

    /// Writes the diagnostics of a file, for [`Report::file`] to take.
    pub fn render(
        &self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        options: Options,
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        (self.render)(file, diagnostics, options, locator, out)
    }

    /// An empty report.
    pub fn report(&self, options: Options) -> Box<dyn Report> {
        (self.report)(options)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A report on all files in one format, put together from rendered files. A method that a format does
/// not have writes nothing, or the rendered file as it is.
pub trait Report: fmt::Debug {
    /// Writes what stands before the first file. `summary` is empty, unless the format
    /// [begins last](Format::begins_last): then it is that of all files, all other methods have been
    /// called, and what this one writes goes before what they have written.
    fn begin(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the next file. `rendered` is what [`Format::render`] wrote of it.
    fn file(
        &mut self,
        _file: &File<'_>,
        rendered: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        copy(rendered, out)
    }

    /// Writes that an input was not judged, and why.
    fn unread(&mut self, _unread: &Unread, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes what stands behind the last file.
    fn end(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The report of a format that has nothing around its files.
#[derive(Debug)]
struct FilesOnly;

impl FilesOnly {
    fn report(_: Options) -> Box<dyn Report> {
        Box::new(Self)
    }
}

impl Report for FilesOnly {}

/// Copies a rendered file, in pieces after which an interrupted program may end.
fn copy(rendered: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<()> {
    const PIECE: usize = 64 << 10;
    loop {
        let text = rendered.fill_buf()?;
        let piece = &text[..text.len().min(PIECE)];
        if piece.is_empty() {
            return Ok(());
        }
        out.write_all(piece)?;
        let count = piece.len();
        rendered.consume(count);
    }
}

/// How a report is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The least severity of a failure.
    pub fail_on: Severity,
    /// For formats that people read as they come.
    pub style: TextStyle,
}

/// How text for people looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    pub color: bool,
    /// Columns of the terminal; `None` when the text does not go to one.
    pub columns: Option<usize>,
}

impl TextStyle {
    /// For files and pipes.
    pub const PLAIN: Self = Self { color: false, columns: None };

    /// The width of paragraphs in columns: that of the terminal within limits, else 100.
    pub fn width(self) -> usize {
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

/// A transcript that has been judged.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// As the user gave it.
    pub path: &'a str,
    /// The name of the format it was read as.
    pub format: &'a str,
    pub outcome: &'a Outcome,
    /// How many diagnostics there are.
    pub counts: Counts,
    pub rule_counts: &'a RuleCounts,
    /// By which it was judged.
    pub severities: &'a Severities,
    /// How often each rule was reported, by index in the catalogue; `None` unless asked for. What a
    /// baseline holds back is counted too.
    pub findings: Option<&'a [u64]>,
}

/// How many diagnostics there are of each rule, by whose fault they are.
#[derive(Clone, Debug, Default)]
pub struct RuleCounts(BTreeMap<(usize, usize), Counts>);

impl RuleCounts {
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut counts = Self::default();
        for diagnostic in diagnostics {
            if let Some(rule) = rule_index(diagnostic) {
                let key = (side_index(diagnostic.bound), rule);
                counts.0.entry(key).or_default().add(diagnostic.severity);
            }
        }
        counts
    }

    /// Of all rules.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.0.values().for_each(|counts| total += *counts);
        total
    }

    /// Of the rule with this index in the catalogue, where the [fault](side_index) is this side's.
    fn get(&self, side: usize, rule: usize) -> Option<Counts> {
        self.0.get(&(side, rule)).copied()
    }

    /// With the rule's index in the catalogue; a rule comes once for each side.
    fn by_rule(&self) -> impl Iterator<Item = (usize, Counts)> {
        self.0.iter().map(|((_, rule), counts)| (*rule, *counts))
    }
}

/// The index of the diagnostic's rule in the catalogue.
fn rule_index(diagnostic: &Diagnostic) -> Option<usize> {
    CATALOGUE.iter().position(|rule| std::ptr::eq(*rule, diagnostic.rule))
}

/// The place of a side in [`Outcome::sides`]; the last one is that of an unknown side.
fn side_index(side: Option<Side>) -> usize {
    side.map_or(2, |side| side as usize)
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
            write!(f, "{separator}{}", Plural(count, noun))?;
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

/// An input that was not judged, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// As the user gave it.
    pub path: String,
    /// A sentence without a full stop.
    pub reason: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, messages) = (Plural(self.files, "file"), Plural(self.messages, "message"));
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
            unread => write!(f, " {} could not be read.", Plural(unread as u64, "input")),
        }
    }
}

/// A number with its noun.
struct Plural(u64, &'static str);

impl fmt::Display for Plural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {noun}{plural}")
    }
}

/// Name and version of this program.
const TOOL: (&str, &str) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));

/// The place of a severity among errors, warnings and infos, for reports that keep them apart.
fn rank(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info | Severity::Off => 2,
    }
}

/// How many others a diagnostic stands for, in words; `None` for none.
fn like_it(diagnostic: &Diagnostic) -> Option<String> {
    let more = diagnostic.repeats;
    (more > 0).then(|| format!("and {more} more like it"))
}

/// How many others a diagnostic stands for, as it is put behind a message; empty for none.
fn like_it_behind(diagnostic: &Diagnostic) -> String {
    like_it(diagnostic).map(|more| format!(" ({more})")).unwrap_or_default()
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
