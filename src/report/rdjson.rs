//! `--format rdjson`: diagnostics for reviewdog, which writes them as comments on changes.
//!
//! A version of reviewdog refuses members that it does not know, so only members that all versions know
//! are written; other facts go into the message. Columns count bytes.

use std::{fmt::Write as _, io};

use serde::Serialize;

use super::{
    File, OutputFormat, Syntax, Unread, elsewhere,
    fingerprint::Occurrences,
    json::{ArrayReport, json},
    like_it_behind, message, side_before,
};
use crate::{
    diagnostic::Diagnostic,
    rule::Severity,
    source::{Locator, Span, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    ..OutputFormat::new("rdjson", "reviewdog diagnostics", Syntax::Json, |_| {
        ArrayReport::boxed(HEAD, "]}", row, unread)
    })
};

/// The text of the document before the first diagnostic.
const HEAD: &str =
    concat!("{\"source\":{\"name\":\"", env!("CARGO_PKG_NAME"), "\"},\"diagnostics\":[");

#[derive(Serialize)]
struct RdjsonDiagnostic<'a> {
    location: RdjsonLocation<'a>,
    severity: &'static str,
    code: Code,
    message: &'a str,
}

#[derive(Serialize)]
struct RdjsonLocation<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RdjsonRange>,
}

#[derive(Serialize)]
struct RdjsonRange {
    start: RdjsonPosition,
    end: RdjsonPosition,
}

/// A place in a file as reviewdog reads it. Without a column, the whole line.
#[derive(Serialize)]
struct RdjsonPosition {
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

fn row(
    file: &File<'_>,
    diagnostic: &Diagnostic,
    _: &mut Occurrences,
    locator: &mut Locator<'_>,
) -> io::Result<String> {
    let range = match diagnostic.finding.labels.first() {
        Some(label) => Some(range(label.span, locator)?),
        None => None,
    };
    let (side, message) = (side_before(diagnostic), message(diagnostic));
    let more = like_it_behind(diagnostic);
    json(&RdjsonDiagnostic {
        location: RdjsonLocation { path: file.path, range },
        severity: match diagnostic.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Info | Severity::Off => "INFO",
        },
        code: Code { value: diagnostic.rule.id, url: diagnostic.url() },
        message: &format!("{side}{message}{more}{}", context(diagnostic)),
    })
}

/// The text after the message of a diagnostic: one line for each label after the first, and the
/// help.
fn context(diagnostic: &Diagnostic) -> String {
    let mut context = String::new();
    for label in diagnostic.finding.labels.iter().skip(1) {
        // Writing to a string cannot fail.
        let _ = write!(context, "\nline {}: {}", label.span.line, printable(&label.message));
    }
    for place in elsewhere(diagnostic) {
        let _ = write!(context, "\n{place}");
    }
    if let Some(help) = &diagnostic.finding.help {
        let _ = write!(context, "\nhelp: {}", printable(help));
    }
    context
}

fn range(span: Span, locator: &mut Locator<'_>) -> io::Result<RdjsonRange> {
    let number = |number: u64| i32::try_from(number).ok();
    let end_line = locator.position(span)?.end_line;
    let columns = (end_line == u64::from(span.line)).then(|| {
        let start = u64::from(span.column) + 1;
        Some((number(start)?, number(start + u64::from(span.len))?))
    });
    let (start, end) = columns.flatten().unzip();
    Ok(RdjsonRange {
        start: RdjsonPosition { line: number(span.line.into()), column: start },
        end: RdjsonPosition { line: number(end_line), column: end },
    })
}

/// The JSON text of a diagnostic that says that an input was not judged, and why.
fn unread(unread: &Unread) -> io::Result<String> {
    json(&RdjsonDiagnostic {
        location: RdjsonLocation { path: &unread.path, range: None },
        severity: "ERROR",
        code: Code { value: "acpcheck/unread", url: None },
        message: &format!("cannot be read: {}", printable(&unread.reason)),
    })
}
