//! `--format json`: one document, described by `schema/report.schema.json`.
//!
//! A file and its diagnostics go in, an element of `files` comes out. The document is a contract: members are added, never renamed or removed, without a new [`FORMAT_VERSION`].
//! Each member of the document, each file and each diagnostic has a line of its own, so that it reads
//! well in a diff.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Counts, File, OutputFormat, Report, Summary, Syntax, TOOL, Unread, command_escaper,
    fingerprint::{FingerprintDigest, Occurrences},
    revision, tally,
};
use crate::{
    check::{Fulfilment, RequirementCounts, Unjudged},
    diagnostic::Diagnostic,
    protocol::{Side, Surface},
    rule::{Elsewhere, Label},
    rules::CATALOGUE,
    source::{Locator, Position},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    ..OutputFormat::new(
        "json",
        "One document, described by schema/report.schema.json",
        Syntax::Json,
        |_| Box::new(JsonReport::default()),
    )
};

/// The `format_version` of the JSON report. It changes when readers of the document have to change.
const FORMAT_VERSION: u32 = 1;

/// The first members of the JSON and NDJSON reports: the version of the document, the program, and
/// the schemas that messages were judged by.
#[derive(Serialize)]
pub(super) struct ToolAndSchema {
    format_version: u32,
    pub(super) tool: Tool,
    pub(super) schema: Schema,
}

#[derive(Serialize)]
pub(super) struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
pub(super) struct Schema {
    revision: &'static str,
}

impl ToolAndSchema {
    pub(super) fn new() -> Self {
        let (name, version) = TOOL;
        Self {
            format_version: FORMAT_VERSION,
            tool: Tool { name, version },
            schema: Schema { revision: revision() },
        }
    }
}

/// The members of a file's JSON object that come before its diagnostics.
#[derive(Serialize)]
pub(super) struct FileHead<'a> {
    path: &'a str,
    format: &'a str,
    surface: Option<&'static str>,
    edition: &'static str,
    messages: u64,
    connections: u32,
    unjudged: UnjudgedRow,
}

/// The member `unjudged` of the JSON report: how many messages and rules could not be judged
/// because of what transcripts contain.
#[derive(Serialize)]
pub(super) struct UnjudgedRow {
    messages: u64,
    rules: u64,
}

impl From<Unjudged> for UnjudgedRow {
    fn from(Unjudged { messages, rules }: Unjudged) -> Self {
        Self { messages, rules }
    }
}

impl<'a> FileHead<'a> {
    pub(super) fn of(file: &File<'a>) -> Self {
        let outcome = file.outcome;
        Self {
            path: file.path,
            format: file.format,
            surface: outcome.surface.map(Surface::name),
            edition: outcome.edition.name(),
            messages: outcome.messages,
            connections: outcome.connections,
            unjudged: outcome.unjudged.into(),
        }
    }
}

/// The members of a file's JSON object that come after its diagnostics.
#[derive(Serialize)]
pub(super) struct FileTail<'a> {
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Vec<Statistic>>,
}

#[derive(Serialize)]
struct Statistic {
    rule: &'static str,
    exercised: u64,
    failed: u64,
    findings: u64,
}

impl<'a> FileTail<'a> {
    pub(super) fn of(file: &File<'a>) -> Self {
        let statistics = file.findings.map(|findings| {
            let rows = CATALOGUE.iter().enumerate().map(|(index, rule)| {
                let tally = tally(file.outcome, index);
                Statistic {
                    rule: rule.id,
                    exercised: tally.exercised,
                    failed: tally.failed,
                    findings: findings.get(index).copied().unwrap_or_default(),
                }
            });
            rows.filter(|row| row.exercised > 0 || row.findings > 0).collect()
        });
        Self { notes: &file.outcome.notes, statistics }
    }
}

/// A diagnostic as an object of the JSON and NDJSON reports.
#[derive(Serialize)]
pub(super) struct DiagnosticRow<'a> {
    rule: &'static str,
    severity: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    bound: &'static str,
    connection: u32,
    method: Option<&'a str>,
    fingerprint: String,
    labels: Vec<LabelRow<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    repeats: u64,
}

#[derive(Serialize)]
struct LabelRow<'a> {
    primary: bool,
    line: u64,
    column: u64,
    end_line: u64,
    end_column: u64,
    start: u64,
    end: u64,
    pointer: Option<&'a str>,
    message: &'a str,
    /// The path of the file that the label is in, when that is not the file of the diagnostic;
    /// `None` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

impl<'a> LabelRow<'a> {
    fn of(label: &'a Label, position: Position) -> Self {
        let Position { line, column, end_line, end_column } = position;
        Self {
            primary: false,
            line,
            column,
            end_line,
            end_column,
            start: label.span.start,
            end: label.span.end(),
            pointer: label.pointer.as_deref(),
            message: &label.message,
            path: None,
        }
    }
}

impl<'a> DiagnosticRow<'a> {
    pub(super) fn of(diagnostic: &'a Diagnostic, locator: &mut Locator<'_>) -> io::Result<Self> {
        let finding = &diagnostic.finding;
        let mut labels = Vec::with_capacity(finding.labels.len() + finding.elsewhere.len());
        for (index, label) in finding.labels.iter().enumerate() {
            let row = LabelRow::of(label, locator.position(label.span)?);
            labels.push(LabelRow { primary: index == 0, ..row });
        }
        labels.extend(finding.elsewhere.iter().map(|Elsewhere { file, label, position }| {
            LabelRow { path: Some(file), ..LabelRow::of(label, *position) }
        }));
        Ok(Self {
            rule: diagnostic.rule.id,
            severity: diagnostic.severity.name(),
            message: &finding.message,
            help: finding.help.as_deref(),
            bound: bound(diagnostic.bound),
            connection: diagnostic.connection,
            method: diagnostic.method.as_deref(),
            fingerprint: FingerprintDigest::of(diagnostic).to_string(),
            labels,
            repeats: diagnostic.repeats,
        })
    }
}

#[derive(Debug, Default)]
struct JsonReport {
    files: JsonArray,
}

impl Report for JsonReport {
    fn begin(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let ToolAndSchema { format_version, tool, schema } = ToolAndSchema::new();
        let (tool, schema) = (json(&tool)?, json(&schema)?);
        write!(
            out,
            "{{\n\"format_version\":{format_version},\n\"tool\":{tool},\n\"schema\":{schema},\n\
             \"files\":["
        )
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (head, tail) = (json(&FileHead::of(file))?, json(&FileTail::of(file))?);
        let (head, tail) = (members(&head), members(&tail));
        write!(out, "{}{{{head},\"diagnostics\":[", self.files.before_next())?;
        let mut rows = JsonArray::default();
        for diagnostic in diagnostics {
            let row = json(&DiagnosticRow::of(diagnostic, locator)?)?;
            write!(out, "{}{row}", rows.before_next())?;
        }
        let separator = if tail.is_empty() { "" } else { "," };
        write!(out, "]{separator}{tail}}}")
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\n],\n")?;
        if !summary.unread.is_empty() {
            writeln!(out, "\"unread\":{},", json(&summary.unread)?)?;
        }
        writeln!(out, "\"summary\":{}\n}}", json(&Totals::of(summary))?)
    }
}

#[derive(Serialize)]
pub(super) struct Totals {
    files: u64,
    messages: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
    unjudged: UnjudgedRow,
    #[serde(skip_serializing_if = "is_zero")]
    held_back: u64,
    #[serde(skip_serializing_if = "is_zero")]
    other_side: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    requirements: Vec<SideCounts>,
}

/// How a side fared by the requirements of the protocol.
#[derive(Serialize)]
struct SideCounts {
    side: &'static str,
    must: RequirementCounts,
    should: RequirementCounts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Totals {
    pub(super) fn of(summary: &Summary) -> Self {
        let Counts { errors, warnings, infos } = summary.counts;
        let Summary { files, messages, held_back, other_side, unjudged, .. } = *summary;
        let unjudged = unjudged.into();
        let requirements = summary.requirements.iter().map(|(side, fulfilment)| {
            let Fulfilment { must, should, .. } = *fulfilment;
            SideCounts { side: side.name(), must, should }
        });
        let requirements = requirements.collect();
        Self {
            files,
            messages,
            errors,
            warnings,
            infos,
            unjudged,
            held_back,
            other_side,
            requirements,
        }
    }
}

/// The report of a format that is one JSON array of diagnostics, with constant text before and
/// after the array.
#[derive(Debug)]
pub(super) struct ArrayReport {
    /// The text before the first element, which ends with `[`.
    head: &'static str,
    /// The text after the last element, which begins with `]`.
    tail: &'static str,
    element: Element,
    unread: fn(&Unread) -> io::Result<String>,
    array: JsonArray,
}

/// A function that makes the JSON text for one diagnostic. The [`Occurrences`] number equal
/// fingerprints of the file. Fails when reading the file fails.
type Element = fn(&File<'_>, &Diagnostic, &mut Occurrences, &mut Locator<'_>) -> io::Result<String>;

impl ArrayReport {
    pub(super) fn boxed(
        head: &'static str,
        tail: &'static str,
        element: Element,
        unread: fn(&Unread) -> io::Result<String>,
    ) -> Box<dyn Report> {
        Box::new(Self { head, tail, element, unread, array: JsonArray::default() })
    }
}

impl Report for ArrayReport {
    fn begin(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.head.as_bytes())
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut occurrences = Occurrences::default();
        for diagnostic in diagnostics {
            let element = (self.element)(file, diagnostic, &mut occurrences, locator)?;
            write!(out, "{}{element}", self.array.before_next())?;
        }
        Ok(())
    }

    fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}{}", self.array.before_next(), (self.unread)(unread)?)
    }

    fn end(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n{}", self.tail)
    }
}

/// Writes the commas and line breaks of a JSON array that is written element by element.
#[derive(Debug, Default)]
pub(super) struct JsonArray {
    are_begun: bool,
}

impl JsonArray {
    /// The text before the next element: a comma, except for the first one, and a line break.
    pub(super) fn before_next(&mut self) -> &'static str {
        if std::mem::replace(&mut self.are_begun, true) { ",\n" } else { "\n" }
    }
}

/// The members of a JSON object as text: the text of the object without its braces.
fn members(object: &str) -> &str {
    object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(object)
}

pub(super) fn bound(side: Option<Side>) -> &'static str {
    side.map_or("either", Side::name)
}

/// A value as JSON on one line, harmless for terminals and CI servers. Fails for values that JSON
/// cannot express, such as a map whose keys are lists.
pub(super) fn json(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    Ok(command_escaper::json(serde_json::to_string(value)?))
}
