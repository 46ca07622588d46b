//! `--format gitlab`: a code quality report for GitLab, one JSON array of issues.
//!
//! GitLab keeps only the first of several issues with the same fingerprint, so the fingerprint includes
//! the number of the occurrence.

use std::io;

use serde::Serialize;

use super::{
    File, OutputFormat, Syntax, Unread,
    fingerprint::{Fingerprint, FingerprintDigest, Occurrences},
    json::{ArrayReport, json},
    like_it_behind, message, plain_path, side_before,
};
use crate::{
    diagnostic::Diagnostic,
    rule::Severity,
    source::{Locator, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    ..OutputFormat::new("gitlab", "GitLab code quality report", Syntax::Json, |_| {
        ArrayReport::boxed("[", "]", issue, unread)
    })
};

#[derive(Serialize)]
struct Issue<'a> {
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: IssueLocation<'a>,
    description: &'a str,
}

#[derive(Serialize)]
struct IssueLocation<'a> {
    path: &'a str,
    lines: LineRange,
}

#[derive(Serialize)]
struct LineRange {
    begin: u64,
    end: u64,
}

impl LineRange {
    const FIRST: Self = Self { begin: 1, end: 1 };
}

/// The JSON text of a GitLab issue for a diagnostic. `occurrences` counts fingerprints of the file,
/// so that each issue has its own.
fn issue(
    file: &File<'_>,
    diagnostic: &Diagnostic,
    occurrences: &mut Occurrences,
    locator: &mut Locator<'_>,
) -> io::Result<String> {
    let path = plain_path(file.path);
    let digest = FingerprintDigest::of(diagnostic);
    let number = occurrences.next(digest);
    let lines = match diagnostic.finding.labels.first() {
        Some(label) => {
            let position = locator.position(label.span)?;
            LineRange { begin: position.line, end: position.end_line }
        }
        None => LineRange::FIRST,
    };
    json(&Issue {
        check_name: diagnostic.rule.id,
        fingerprint: digest.within(&format!("{path}\n{number}")).to_string(),
        severity: match diagnostic.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Info | Severity::Off => "info",
        },
        location: IssueLocation { path, lines },
        description: &format!(
            "{}{}{}",
            side_before(diagnostic),
            message(diagnostic),
            like_it_behind(diagnostic)
        ),
    })
}

/// The JSON text of a GitLab issue that says that an input was not judged, and why.
fn unread(unread: &Unread) -> io::Result<String> {
    let check_name = "acpcheck/unread";
    let path = plain_path(&unread.path);
    let fingerprint =
        Fingerprint { rule: check_name, method: None, shape: None, implementation: None }.digest();
    json(&Issue {
        check_name,
        fingerprint: fingerprint.within(path).to_string(),
        severity: "critical",
        location: IssueLocation { path, lines: LineRange::FIRST },
        description: &format!("cannot be read: {}", printable(&unread.reason)),
    })
}
