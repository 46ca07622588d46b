//! The JSON report: one document, described by `schema/report.schema.json`.
//!
//! It is a contract: members are added, never renamed or removed, without a new [`FORMAT_VERSION`].
//! It is written as it is found, a diagnostic a line, so that it needs no memory and reads well in a
//! diff.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Counts, Entry, File, Summary, TOOL, Unread, fingerprint::FingerprintDigest, revision, tally,
};
use crate::{
    diagnostic::Diagnostic,
    protocol::{Side, Surface},
    rules::CATALOGUE,
    source::Locator,
};

/// Changes when a reader of the report would have to.
const FORMAT_VERSION: u32 = 1;

/// What wrote a report, and what messages were held against.
#[derive(Serialize)]
pub(super) struct Origin {
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

impl Origin {
    pub(super) fn new() -> Self {
        let (name, version) = TOOL;
        Self {
            format_version: FORMAT_VERSION,
            tool: Tool { name, version },
            schema: Schema { revision: revision() },
        }
    }
}

pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    let Origin { format_version, tool, schema } = Origin::new();
    let (tool, schema) = (json(&tool)?, json(&schema)?);
    write!(
        out,
        "{{\n\"format_version\":{format_version},\n\"tool\":{tool},\n\"schema\":{schema},\n\
         \"files\":["
    )
}

/// What is known of a transcript besides its diagnostics.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    path: &'a str,
    format: &'a str,
    surface: Option<&'static str>,
    edition: &'static str,
    messages: u64,
    connections: u32,
}

impl<'a> Head<'a> {
    pub(super) fn of(file: &File<'a>) -> Self {
        let outcome = file.outcome;
        Self {
            path: file.path,
            format: file.format,
            surface: outcome.surface.map(Surface::name),
            edition: outcome.edition.name(),
            messages: outcome.messages,
            connections: outcome.connections,
        }
    }
}

/// The same, as far as it is known only at the file's end.
#[derive(Serialize)]
pub(super) struct Tail<'a> {
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

impl<'a> Tail<'a> {
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

pub(super) fn begin_file(file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
    let head = json(&Head::of(file))?;
    let members = head.trim_end_matches('}');
    write!(out, "{}\n{members},\"diagnostics\":[", separator(file.index))
}

/// A diagnostic.
pub(super) struct Row<'a> {
    rule: &'static str,
    severity: &'static str,
    message: &'a str,
    /// Left out where there is none.
    help: Option<&'a str>,
    bound: &'static str,
    connection: u32,
    method: Option<&'a str>,
    fingerprint: FingerprintDigest,
    labels: Vec<Label<'a>>,
}

struct Label<'a> {
    primary: bool,
    line: u64,
    column: u64,
    end_line: u64,
    end_column: u64,
    start: u64,
    end: u64,
    pointer: Option<&'a str>,
    message: &'a str,
}

impl<'a> Row<'a> {
    pub(super) fn of(diagnostic: &'a Diagnostic, locator: &mut Locator<'_>) -> io::Result<Self> {
        let finding = &diagnostic.finding;
        let mut labels = Vec::with_capacity(finding.labels.len());
        for (index, label) in finding.labels.iter().enumerate() {
            let position = locator.position(label.span)?;
            labels.push(Label {
                primary: index == 0,
                line: position.line,
                column: position.column,
                end_line: position.end_line,
                end_column: position.end_column,
                start: label.span.start,
                end: label.span.end(),
                pointer: label.pointer.as_deref(),
                message: &label.message,
            });
        }
        Ok(Self {
            rule: diagnostic.rule.id,
            severity: diagnostic.severity.name(),
            message: &finding.message,
            help: finding.help.as_deref(),
            bound: bound(diagnostic.bound),
            connection: diagnostic.connection,
            method: diagnostic.method.as_deref(),
            fingerprint: FingerprintDigest::of(diagnostic),
            labels,
        })
    }

    /// Writes the members. Diagnostics are many, and `serde` takes several times as long to write
    /// the same in small parts.
    pub(super) fn write(&self, out: &mut Vec<u8>) -> io::Result<()> {
        text(r#""rule":"#, Some(self.rule), out)?;
        text(r#","severity":"#, Some(self.severity), out)?;
        text(r#","message":"#, Some(self.message), out)?;
        if self.help.is_some() {
            text(r#","help":"#, self.help, out)?;
        }
        text(r#","bound":"#, Some(self.bound), out)?;
        member(r#","connection":"#, &self.connection, out)?;
        text(r#","method":"#, self.method, out)?;
        write!(out, r#","fingerprint":"{}""#, self.fingerprint)?;
        out.extend_from_slice(br#","labels":["#);
        for (index, label) in self.labels.iter().enumerate() {
            out.extend_from_slice(separator(index as u64).as_bytes());
            member(r#"{"primary":"#, &label.primary, out)?;
            member(r#","line":"#, &label.line, out)?;
            member(r#","column":"#, &label.column, out)?;
            member(r#","end_line":"#, &label.end_line, out)?;
            member(r#","end_column":"#, &label.end_column, out)?;
            member(r#","start":"#, &label.start, out)?;
            member(r#","end":"#, &label.end, out)?;
            text(r#","pointer":"#, label.pointer, out)?;
            text(r#","message":"#, Some(label.message), out)?;
            out.push(b'}');
        }
        out.push(b']');
        Ok(())
    }
}

/// Writes a member; its name is given with the punctuation around it.
fn member(name: &str, value: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(name.as_bytes());
    Ok(serde_json::to_writer(out, value)?)
}

/// The same for a text. Hardly any needs an escape, which `serde_json` looks for byte by byte.
fn text(name: &str, text: Option<&str>, out: &mut Vec<u8>) -> io::Result<()> {
    let plain = text.filter(|text| {
        let is_escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        // To the end in any case, so that many bytes are looked at at once.
        !text.bytes().fold(false, |is, byte| is | is_escaped(byte))
    });
    let Some(plain) = plain else { return member(name, &text, out) };
    for part in [name, "\"", plain, "\""] {
        out.extend_from_slice(part.as_bytes());
    }
    Ok(())
}

pub(super) fn diagnostic(
    entry: Entry<'_>,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    let row = Row::of(entry.diagnostic, locator)?;
    out.extend_from_slice(separator(entry.index).as_bytes());
    out.extend_from_slice(b"\n{");
    row.write(out)?;
    out.push(b'}');
    Ok("}".len())
}

pub(super) fn repeats(more: u64) -> String {
    format!(",\"repeats\":{more}")
}

pub(super) fn end_file(file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "]")?;
    let tail = json(&Tail::of(file))?;
    let members = tail.trim_start_matches('{');
    write!(out, "{}{members}", if members == "}" { "" } else { "," })
}

#[derive(Serialize)]
pub(super) struct Totals {
    files: u64,
    messages: u64,
    errors: u64,
    warnings: u64,
    infos: u64,
    #[serde(skip_serializing_if = "is_zero")]
    held_back: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Totals {
    pub(super) fn of(summary: &Summary) -> Self {
        let Counts { errors, warnings, infos } = summary.counts;
        let Summary { files, messages, held_back, .. } = *summary;
        Self { files, messages, errors, warnings, infos, held_back }
    }
}

pub(super) fn end(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Input<'a> {
        path: &'a str,
        reason: &'a str,
    }

    let unread = summary.unread.iter().map(|Unread { path, reason }| Input { path, reason });
    let unread: Vec<_> = unread.collect();
    write!(out, "\n],\n")?;
    if !unread.is_empty() {
        writeln!(out, "\"unread\":{},", json(&unread)?)?;
    }
    writeln!(out, "\"summary\":{}\n}}", json(&Totals::of(summary))?)
}

/// Between the elements of an array.
pub(super) fn separator(index: u64) -> &'static str {
    if index == 0 { "" } else { "," }
}

/// The elements of an array to which one file after the other adds some, each of them beginning anew
/// with their commas.
#[derive(Debug, Default)]
pub struct Elements {
    are_begun: bool,
}

impl Elements {
    /// What goes before those of this file.
    pub(super) fn before_file(&mut self, file: &File<'_>) -> &'static str {
        if file.counts.total() == 0 { "" } else { self.before_next() }
    }

    /// What goes before the next ones.
    pub(super) fn before_next(&mut self) -> &'static str {
        separator(u64::from(std::mem::replace(&mut self.are_begun, true)))
    }
}

pub(super) fn bound(side: Option<Side>) -> &'static str {
    match side {
        Some(Side::Client) => "client",
        Some(Side::Agent) => "agent",
        None => "either",
    }
}

pub(super) fn json(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?)
}
