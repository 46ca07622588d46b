//! Diagnostics for reviewdog, which comments on changes with them.
//!
//! reviewdog refuses members that its version does not know, so there are only those that all
//! versions know; the rest goes into the message. Columns count bytes.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use serde::Serialize;

use super::{
    Entry, TOOL, Unread,
    json::{Elements, json, separator},
    message,
};
use crate::{
    diagnostic::Diagnostic,
    rule::Severity,
    source::{Locator, Span, printable},
};

#[derive(Serialize)]
struct Row<'a> {
    location: Location<'a>,
    severity: &'static str,
    code: Code,
    /// The last one, so that something can be added to it.
    message: &'a str,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

/// Without a column, the whole line.
#[derive(Serialize)]
struct Position {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<i32>,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

pub(super) fn diagnostic(
    entry: Entry<'_>,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    let Entry { diagnostic, file, index } = entry;
    let range = match diagnostic.finding.labels.first() {
        Some(label) => Some(range(label.span, locator)?),
        None => None,
    };
    let head = message(diagnostic);
    let row = Row {
        location: Location { path: file, range },
        severity: match diagnostic.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Info | Severity::Off => "INFO",
        },
        code: Code { value: diagnostic.rule.id, url: diagnostic.url() },
        message: &head,
    };
    writeln!(out, "{}", separator(index))?;
    serde_json::to_writer(&mut *out, &row)?;
    // How many others it stands for is said before what explains it.
    out.truncate(out.len() - "\"}".len());
    let context = json(&context(diagnostic))?;
    let rest = [&context[1..], "}"].concat();
    out.extend_from_slice(rest.as_bytes());
    Ok(rest.len())
}

/// What the message has no words for: earlier places, and what to do.
fn context(diagnostic: &Diagnostic) -> String {
    let mut context = String::new();
    for label in diagnostic.finding.labels.iter().skip(1) {
        // Writing to a string cannot fail.
        let _ = write!(context, "\nline {}: {}", label.span.line, printable(&label.message));
    }
    if let Some(help) = &diagnostic.finding.help {
        let _ = write!(context, "\nhelp: {}", printable(help));
    }
    context
}

fn range(span: Span, locator: &mut Locator<'_>) -> io::Result<Range> {
    let number = |number: u64| i32::try_from(number).ok();
    let end_line = locator.position(span)?.end_line;
    let columns = (end_line == u64::from(span.line)).then(|| {
        let start = u64::from(span.column) + 1;
        Some((number(start)?, number(start + u64::from(span.len))?))
    });
    let (start, end) = columns.flatten().unzip();
    Ok(Range {
        start: Position { line: number(span.line.into()), column: start },
        end: Position { line: number(end_line), column: end },
    })
}

pub(super) fn unread(
    unread: &Unread,
    elements: &mut Elements,
    out: &mut dyn Write,
) -> io::Result<()> {
    let row = Row {
        location: Location { path: &unread.path, range: None },
        severity: "ERROR",
        code: Code { value: "acpcheck/unread", url: None },
        message: &format!("cannot be read: {}", printable(&unread.reason)),
    };
    write!(out, "{}\n{}", elements.before_next(), json(&row)?)
}

pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"source\":{{\"name\":\"{}\"}},\"diagnostics\":[", TOOL.0)
}

pub(super) fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n]}}")
}
