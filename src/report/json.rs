//! The JSON report: one document, described by `schema/report.schema.json`.
//!
//! It is a contract: members are added, never renamed or removed, without a new [`FORMAT_VERSION`].
//! It is written as it is found, a diagnostic a line, so that it needs no memory and reads well in a
//! diff.

use std::io::{self, Write};

use serde::Serialize;

use super::{Counts, Entry, File, Summary, TOOL, fingerprint::Fingerprint, revision, tally};
use crate::{
    protocol::{Side, Surface},
    rules::CATALOGUE,
    source::Locator,
};

/// Changes when a reader of the report would have to.
const FORMAT_VERSION: u32 = 1;

pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Tool {
        name: &'static str,
        version: &'static str,
    }

    #[derive(Serialize)]
    struct Schema {
        revision: &'static str,
    }

    let (name, version) = TOOL;
    let tool = json(&Tool { name, version })?;
    let schema = json(&Schema { revision: revision() })?;
    write!(
        out,
        "{{\n\"format_version\":{FORMAT_VERSION},\n\"tool\":{tool},\n\"schema\":{schema},\n\
         \"files\":["
    )
}

pub(super) fn begin_file(file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Head<'a> {
        path: &'a str,
        format: &'a str,
        surface: Option<&'static str>,
        edition: &'static str,
        messages: u64,
        connections: u32,
    }

    let outcome = file.outcome;
    let head = json(&Head {
        path: file.path,
        format: file.format,
        surface: outcome.surface.map(Surface::name),
        edition: outcome.edition.name(),
        messages: outcome.messages,
        connections: outcome.connections,
    })?;
    let members = head.trim_end_matches('}');
    write!(out, "{}\n{members},\"diagnostics\":[", separator(file.index))
}

pub(super) fn diagnostic(
    entry: Entry<'_>,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    #[derive(Serialize)]
    struct Row<'a> {
        rule: &'static str,
        severity: &'static str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<&'a str>,
        bound: &'static str,
        connection: u32,
        method: Option<&'a str>,
        fingerprint: String,
        labels: Vec<Label<'a>>,
    }

    #[derive(Serialize)]
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

    let diagnostic = entry.diagnostic;
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
    let row = Row {
        rule: diagnostic.rule.id,
        severity: diagnostic.severity.name(),
        message: &finding.message,
        help: finding.help.as_deref(),
        bound: bound(diagnostic.bound),
        connection: diagnostic.connection,
        method: diagnostic.method.as_deref(),
        fingerprint: Fingerprint::of(diagnostic).digest().to_string(),
        labels,
    };
    writeln!(out, "{}", separator(entry.index))?;
    serde_json::to_writer(out, &row)?;
    Ok("}".len())
}

pub(super) fn repeats(more: u64) -> String {
    format!(",\"repeats\":{more}")
}

pub(super) fn end_file(file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Statistic {
        rule: &'static str,
        exercised: u64,
        failed: u64,
        findings: u64,
    }

    write!(out, "]")?;
    if !file.outcome.notes.is_empty() {
        write!(out, ",\"notes\":{}", json(&file.outcome.notes)?)?;
    }
    if let Some(findings) = file.findings {
        let rows: Vec<Statistic> = CATALOGUE
            .iter()
            .enumerate()
            .map(|(index, rule)| {
                let tally = tally(file.outcome, index);
                Statistic {
                    rule: rule.id,
                    exercised: tally.exercised,
                    failed: tally.failed,
                    findings: findings.get(index).copied().unwrap_or_default(),
                }
            })
            .filter(|row| row.exercised > 0 || row.findings > 0)
            .collect();
        write!(out, ",\"statistics\":{}", json(&rows)?)?;
    }
    write!(out, "}}")
}

pub(super) fn end(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Totals {
        files: u64,
        messages: u64,
        errors: u64,
        warnings: u64,
        infos: u64,
    }

    #[derive(Serialize)]
    struct Unread<'a> {
        path: &'a str,
        reason: &'a str,
    }

    let Counts { errors, warnings, infos } = summary.counts;
    let (files, messages) = (summary.files, summary.messages);
    let totals = json(&Totals { files, messages, errors, warnings, infos })?;
    let unread: Vec<_> =
        summary.unread.iter().map(|(path, reason)| Unread { path, reason }).collect();
    write!(out, "\n],\n")?;
    if !unread.is_empty() {
        writeln!(out, "\"unread\":{},", json(&unread)?)?;
    }
    writeln!(out, "\"summary\":{totals}\n}}")
}

/// Between the elements of an array.
fn separator(index: u64) -> &'static str {
    if index == 0 { "" } else { "," }
}

fn bound(side: Option<Side>) -> &'static str {
    match side {
        Some(Side::Client) => "client",
        Some(Side::Agent) => "agent",
        None => "either",
    }
}

fn json(value: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?)
}
