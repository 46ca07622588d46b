//! Writes diagnostics in the output formats of `acpcheck check`.
//!
//! A [`File`] and its diagnostics go in; text comes out. A [`Report`] takes the files in their order, and
//! writes the text before, between and after them.
//!
//! `src/lib.rs` says how to add a format. Core types are never serialized: each format has types of its
//! own.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    io::{self, Write},
    sync::LazyLock,
};

use serde::{Deserialize, Serialize};
use textwrap::core::display_width;

use crate::{
    check::{Fulfilment, Outcome, Severities, Tally, Unjudged},
    diagnostic::Diagnostic,
    protocol::{
        Side,
        schema::{Upstream, supplied_hash, upstream},
    },
    rule::{Elsewhere, Rule, Severity},
    rules::CATALOGUE,
    source::{Locator, Position, printable},
};

pub mod audit;
mod causes;
mod command_escaper;
pub mod compliance;
mod concise;
pub mod examples;
pub mod fingerprint;
mod full;
mod github;
mod gitlab;
mod html;
mod implementations;
mod json;
mod junit;
mod markdown;
mod mask;
mod ndjson;
mod page_style;
pub mod plans;
mod rdjson;
mod recording_notes;
mod requirement_line;
pub mod rules;
pub mod rules_page;
mod sarif;
mod statistics;
mod template_filters;
mod text;

pub use full::draw;
pub use requirement_line::{requirement_line, requirement_share};
pub use statistics::Statistics;
pub use text::{UNBROKEN, capitalized, grouped, unbroken, wrapped};

pub(crate) use command_escaper::json as harmless_json;
pub(crate) use markdown::{code, prose};

use command_escaper::EscapedReport;

/// All output formats of `acpcheck check`, in the order in which help lists them.
pub static FORMATS: &[&OutputFormat] = &[
    &full::FORMAT,
    &concise::FORMAT,
    &json::FORMAT,
    &ndjson::FORMAT,
    &sarif::FORMAT,
    &junit::FORMAT,
    &junit::ALL,
    &github::FORMAT,
    &gitlab::FORMAT,
    &rdjson::FORMAT,
    &markdown::FORMAT,
    &html::FORMAT,
];

/// The output format of standard output when the user names none.
pub static DEFAULT: &OutputFormat = &full::FORMAT;

/// The output format with this name; `None` when there is none.
pub fn find(name: &str) -> Option<&'static OutputFormat> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// An output format of `acpcheck check`, with its name and the function that makes a report.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait of its own")]
pub struct OutputFormat {
    /// The name by which users select the format, such as `sarif`.
    pub name: &'static str,
    /// A description of the format in a few words, for the help of `--format`.
    pub about: &'static str,
    /// Whether the format is text for people: it may have colours, and ends with a summary.
    pub is_text: bool,
    /// Whether lines of the format may be printed on standard output after those of a text format.
    pub goes_with_text: bool,
    /// Whether an unfinished report in the format can be read, since each line is complete in
    /// itself.
    pub is_read_along: bool,
    /// Whether the report begins with totals of all files. [`Report::begin`] is then called last.
    pub begins_last: bool,
    /// What a whole report in the format is.
    pub syntax: Syntax,
    report: fn(Options) -> Box<dyn Report>,
}

/// What the text of a whole report is, by which programs read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Text in a form of its own, such as Markdown.
    Plain,
    /// One JSON document.
    Json,
    /// One JSON document on each line.
    JsonLines,
    /// One XML document.
    Xml,
    /// One HTML page.
    Html,
}

impl OutputFormat {
    /// A format whose report is of use only when complete. All properties that are flags are
    /// `false`.
    const fn new(
        name: &'static str,
        about: &'static str,
        syntax: Syntax,
        report: fn(Options) -> Box<dyn Report>,
    ) -> Self {
        Self {
            name,
            about,
            is_text: false,
            goes_with_text: false,
            is_read_along: false,
            begins_last: false,
            syntax,
            report,
        }
    }

    /// Makes an empty report in this format, to be written file by file.
    pub fn report(&self, options: Options) -> Box<dyn Report> {
        let report = (self.report)(options);
        match self.syntax {
            // Its texts are escaped but keep each `#`.
            Syntax::Xml | Syntax::Html => Box::new(EscapedReport { report }),
            Syntax::Plain | Syntax::Json | Syntax::JsonLines => report,
        }
    }
}

impl PartialEq for OutputFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OutputFormat {}

impl fmt::Display for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A report on all files of a run in one format. By default, the methods write nothing.
pub trait Report: fmt::Debug {
    /// Writes the text before the first file. `summary` is empty, unless the format [begins
    /// last](OutputFormat::begins_last): then it is the summary of all files, this method is called
    /// after all others, and its text goes before theirs.
    fn begin(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the next file and its diagnostics to `out`. `locator` reads the file again for
    /// positions and excerpts. Fails when reading or writing fails.
    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()>;

    /// Writes that an input was not checked, and why. Formats without a place for this write
    /// nothing. Fails when writing fails.
    fn unread(&mut self, _unread: &Unread, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the text of the report after the last file. `summary` holds the totals of the run.
    fn end(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// The options of the user that concern reports, for all formats.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The lowest severity at which findings make the run fail (`--fail-on`).
    pub fail_on: Severity,
    /// Colours and width of text for people. Other formats ignore it.
    pub style: TextStyle,
    /// The lowest severity that texts for people show; `None` for the default of the format.
    pub min_severity: Option<Severity>,
    /// Whether the format `full` shows all causes, not only the first ones (`--all`).
    pub shows_all: bool,
    /// Whether the format `full` adds how much it does not show, and which options show it.
    pub shows_hints: bool,
    /// The address of the published page that [`rules_page`] makes, to link rules to; `None` when
    /// the user gives none.
    pub rules_url: Option<&'static str>,
}

impl Options {
    /// The address at which the published page of rules explains a rule; `None` when the page is
    /// not published.
    fn explained(&self, rule: &Rule) -> Option<String> {
        self.rules_url.map(|url| format!("{url}#{}", rule.id))
    }
}

/// Colours and width of text for people, on a terminal or in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    pub color: bool,
    /// Columns of the terminal; `None` when the text may be as wide as it is.
    pub columns: Option<usize>,
}

impl TextStyle {
    /// The style for files and pipes: no colours, no width.
    pub const PLAIN: Self = Self { color: false, columns: None };

    /// The width of paragraphs in columns: that of the terminal within limits, else 100.
    pub fn width(self) -> usize {
        self.columns.map_or(100, |columns| columns.clamp(40, 120))
    }

    /// The width of pages such as those of `explain`: that of the terminal within limits, at most
    /// 80.
    pub fn page(self) -> usize {
        self.columns.map_or(80, |columns| columns.clamp(30, 80))
    }

    /// The text broken into lines that fit the terminal: the first begins with `first`, the others
    /// with `rest`. Without a terminal, one line with `first` before it.
    pub fn wrap(self, first: &str, rest: &str, text: &str) -> String {
        let line = format!("{first}{text}");
        match self.columns.filter(|columns| display_width(&line) > *columns) {
            Some(columns) => wrapped(first, rest, text, columns),
            None => line,
        }
    }

    /// A message broken into lines that fit the terminal, behind the sign with which the crate
    /// `miette` draws it.
    pub fn drawn_message(self, message: &str) -> String {
        /// Number of columns by which `miette` indents a message.
        const INDENT: usize = 4;
        wrapped("", "", message, self.width() - INDENT)
    }

    /// A help text broken into lines that fit behind the word with which the crate `miette` draws
    /// it.
    pub fn drawn_help(self, help: &str) -> String {
        /// Number of columns by which `miette` indents a help text.
        const INDENT: usize = 8;
        wrapped("", "", help, self.width() - INDENT)
    }

    /// The text with the colours of a style; as it is when there are no colours.
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

/// What reports say about a checked transcript besides its diagnostics: path, format, counts.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The path of the file as the user gave it.
    pub path: &'a str,
    /// The name of the transcript format as which the file was read.
    pub format: &'a str,
    pub outcome: &'a Outcome,
    /// The number of errors, warnings and infos among the diagnostics of the file.
    pub counts: Counts,
    pub rule_counts: &'a RuleCounts,
    /// The severity that each rule has for this transcript by the configuration.
    pub severities: &'a Severities,
    /// The number of findings of each rule, by index in the catalogue, including those that a
    /// baseline holds back. `None` without `--statistics`.
    pub findings: Option<&'a [u64]>,
}

/// The number of diagnostics of each rule and side in a transcript, by severity.
#[derive(Clone, Debug, Default)]
pub struct RuleCounts(BTreeMap<(usize, usize), Counts>);

impl RuleCounts {
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut counts = Self::default();
        for diagnostic in diagnostics {
            if let Some(rule) = rule_index(diagnostic) {
                let key = (Side::index(diagnostic.bound), rule);
                counts.0.entry(key).or_default().add(diagnostic.severity);
            }
        }
        counts
    }

    /// The number of diagnostics of all rules and sides together.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.0.values().for_each(|counts| total += *counts);
        total
    }

    /// The diagnostics of a rule about a side. `side` is an [index](Side::index), `rule` the index
    /// in the catalogue. `None` without any.
    fn get(&self, side: usize, rule: usize) -> Option<Counts> {
        self.0.get(&(side, rule)).copied()
    }

    /// For each rule and side with findings: the rule's index in the catalogue, and the counts.
    fn by_rule(&self) -> impl Iterator<Item = (usize, Counts)> {
        self.0.iter().map(|((_, rule), counts)| (*rule, *counts))
    }
}

/// The index of a diagnostic's rule in the catalogue; `None` for a rule outside of it.
fn rule_index(diagnostic: &Diagnostic) -> Option<usize> {
    CATALOGUE.iter().position(|rule| std::ptr::eq(*rule, diagnostic.rule))
}

/// How many errors, warnings and infos there are, in a file or in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub errors: u64,
    pub warnings: u64,
    pub infos: u64,
}

impl Counts {
    pub fn add(&mut self, severity: Severity) {
        self.add_many(severity, 1);
    }

    fn add_many(&mut self, severity: Severity, count: u64) {
        match severity {
            Severity::Error => self.errors += count,
            Severity::Warning => self.warnings += count,
            Severity::Info => self.infos += count,
            Severity::Off => {}
        }
    }

    /// The diagnostics with their repeats.
    pub fn with_repeats(diagnostics: &[Diagnostic]) -> Self {
        let mut counts = Self::default();
        for diagnostic in diagnostics {
            counts.add_many(diagnostic.severity, diagnostic.repeats.saturating_add(1));
        }
        counts
    }

    pub fn total(self) -> u64 {
        self.errors + self.warnings + self.infos
    }

    /// The counts of the severities below the given one; those of others are 0.
    fn below(self, severity: Severity) -> Self {
        Self {
            errors: 0,
            warnings: if severity > Severity::Warning { self.warnings } else { 0 },
            infos: if severity > Severity::Info { self.infos } else { 0 },
        }
    }

    /// Whether there is any diagnostic of this severity or a higher one.
    pub fn reaches(self, severity: Severity) -> bool {
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

/// The totals of a run over all files, for the ends of reports.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub files: u64,
    /// The number of files that have at least one diagnostic.
    pub faulty: u64,
    pub messages: u64,
    /// How many messages and rules could not be checked because of what the files contain.
    pub unjudged: Unjudged,
    pub counts: Counts,
    /// Counts of findings with each repeat, as `acpcheck report` counts; `counts` has a finding that
    /// repeats once.
    pub with_repeats: Counts,
    /// The number of findings of the side that the user did not ask for (`--side`), with each repeat.
    /// `counts` does not include them.
    pub other_side: u64,
    /// The number of findings that a baseline holds back; `counts` does not include them.
    pub held_back: u64,
    pub unread: Vec<Unread>,
    /// For each side that was judged, how it fared by the requirements of the protocol.
    pub requirements: Vec<(Side, Fulfilment)>,
}

/// An input that was not checked, or not to its end, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The path of the file as the user gave it.
    pub path: String,
    /// Why the input was not checked, as a sentence without a full stop.
    pub reason: String,
}

impl Summary {
    /// For each side that was judged, how it fared by the requirements of the protocol, in sentences.
    pub fn requirement_lines(&self) -> impl Iterator<Item = String> {
        self.requirements.iter().map(|(side, fulfilment)| {
            format!("Requirements of {side}s. {}", requirement_line(fulfilment))
        })
    }
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
        if self.with_repeats != self.counts {
            write!(f, " With each repeat: {}.", self.with_repeats)?;
        }
        match supplied_hash() {
            Some(hash) => write!(f, " Judged by custom schemas ({}…).", &hash[..12]),
            None => write!(f, " Judged by ACP schemas of {}.", upstream().date),
        }?;
        match self.held_back {
            0 => Ok(()),
            1 => write!(f, " The baseline holds back 1 finding."),
            held_back => write!(f, " The baseline holds back {held_back} findings."),
        }?;
        if self.other_side > 0 {
            let findings = Plural(self.other_side, "finding");
            let repeats = if self.other_side > 1 { ", with each repeat" } else { "" };
            write!(f, " {findings} of the other side not shown{repeats}.")?;
        }
        if !self.unjudged.is_none() {
            write!(f, " Not judged: {}.", self.unjudged)?;
        }
        match self.unread.len() {
            0 => Ok(()),
            unread => write!(f, " {} could not be read.", Plural(unread as u64, "input")),
        }
    }
}

/// A number with a noun, written such as `1 file` or `2 files`: the noun gets an `s` unless the
/// number is 1.
#[derive(Clone, Copy, Debug)]
pub struct Plural(pub u64, pub &'static str);

impl fmt::Display for Plural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{count} {noun}{plural}")
    }
}

/// Name and version of acpcheck, which reports state as their tool.
const TOOL: (&str, &str) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));

/// The index of a severity in lists of errors, warnings and infos, in this order.
fn rank(severity: Severity) -> usize {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info | Severity::Off => 2,
    }
}

/// The words `and 5 more like it`, when a diagnostic stands for others that are only counted;
/// `None` when it does not.
fn like_it(diagnostic: &Diagnostic) -> Option<String> {
    let more = diagnostic.repeats;
    (more > 0).then(|| format!("and {more} more like it"))
}

/// The text of [`like_it`] in parentheses, to follow a message; empty when the diagnostic stands
/// for itself alone.
fn like_it_behind(diagnostic: &Diagnostic) -> String {
    like_it(diagnostic).map(|more| format!(" ({more})")).unwrap_or_default()
}

/// The path without `./` at its beginning, since code hosts compare it with paths in the
/// repository.
fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").map_or(path, |path| path.trim_start_matches('/'))
}

/// The message of a diagnostic with control characters replaced, since they could move the cursor
/// or hide text.
fn message(diagnostic: &Diagnostic) -> Cow<'_, str> {
    printable(&diagnostic.finding.message)
}

/// The labels of a diagnostic that stand in other files, each as `path:line:column: message`.
fn elsewhere(diagnostic: &Diagnostic) -> impl Iterator<Item = String> {
    diagnostic.finding.elsewhere.iter().map(|Elsewhere { file, label, position }| {
        let Position { line, column, .. } = position;
        format!("{}:{line}:{column}: {}", printable(file), printable(&label.message))
    })
}

/// The side at fault, to stand before a message: `agent: `, or nothing when the side is unknown.
fn side_before(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.bound {
        Some(Side::Client) => "client: ",
        Some(Side::Agent) => "agent: ",
        None => "",
    }
}

/// The schemas that messages were checked by, in words: date and package of the protocol's, or the
/// hash of the user's.
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

/// How often a rule was exercised and failed in a transcript. `index` is that of the rule in the
/// catalogue. Zero when the outcome has no tallies.
fn tally(outcome: &Outcome, index: usize) -> Tally {
    outcome.tallies.get(index).copied().unwrap_or_default()
}
