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

/// Writes the members of a diagnostic. Diagnostics are many, and `serde` takes several times as long to
/// write the same in small parts.
pub(super) fn members(
    diagnostic: &Diagnostic,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let finding = &diagnostic.finding;
    plain(r#""rule":"#, diagnostic.rule.id, out);
    plain(r#","severity":"#, diagnostic.severity.name(), out);
    text(r#","message":"#, Some(&finding.message), out)?;
    if finding.help.is_some() {
        text(r#","help":"#, finding.help.as_deref(), out)?;
    }
    plain(r#","bound":"#, bound(diagnostic.bound), out);
    member(r#","connection":"#, &diagnostic.connection, out)?;
    text(r#","method":"#, diagnostic.method.as_deref(), out)?;
    out.extend_from_slice(br#","fingerprint":""#);
    out.extend_from_slice(&FingerprintDigest::of(diagnostic).digits());
    out.extend_from_slice(br#"","labels":["#);
    for (index, label) in finding.labels.iter().enumerate() {
        let position = locator.position(label.span)?;
        out.extend_from_slice(separator(index as u64).as_bytes());
        member(r#"{"primary":"#, &(index == 0), out)?;
        member(r#","line":"#, &position.line, out)?;
        member(r#","column":"#, &position.column, out)?;
        member(r#","end_line":"#, &position.end_line, out)?;
        member(r#","end_column":"#, &position.end_column, out)?;
        member(r#","start":"#, &label.span.start, out)?;
        member(r#","end":"#, &label.span.end(), out)?;
        text(r#","pointer":"#, label.pointer.as_deref(), out)?;
        text(r#","message":"#, Some(&label.message), out)?;
        out.push(b'}');
    }
    out.push(b']');
    Ok(())
}

/// Writes a member; its name is given with the punctuation around it. Inlined, as what follows, so that
/// names are written by their known length: they are short and many.
#[inline]
fn member(name: &str, value: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(name.as_bytes());
    Ok(serde_json::to_writer(out, value)?)
}

/// The same for a text.
#[inline]
fn text(name: &str, text: Option<&str>, out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(name.as_bytes());
    string(text, out)
}

/// The same for a text in which nothing needs an escape.
#[inline]
fn plain(name: &str, text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    quoted(text, out);
}

fn quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Writes a text, or `null`. Hardly any text needs an escape, which `serde_json` looks for byte by byte.
#[inline(never)]
fn string(text: Option<&str>, out: &mut Vec<u8>) -> io::Result<()> {
    let unescaped = text.filter(|text| {
        let is_escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        // To the end in any case, so that many bytes are looked at at once.
        !text.bytes().fold(false, |is, byte| is | is_escaped(byte))
    });
    let Some(unescaped) = unescaped else { return Ok(serde_json::to_writer(out, &text)?) };
    quoted(unescaped, out);
    Ok(())
}

pub(super) fn diagnostic(
    entry: Entry<'_>,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    out.extend_from_slice(separator(entry.index).as_bytes());
    out.extend_from_slice(b"\n{");
    members(entry.diagnostic, locator, out)?;
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
