//! A code quality report for GitLab: one array of issues.
//!
//! GitLab keeps of several issues with one fingerprint only the first, so the number of the
//! occurrence is part of it.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Entry, Unread,
    fingerprint::{Fingerprint, FingerprintDigest, Occurrences},
    json::{Elements, json, separator},
    message, plain_path,
};
use crate::{
    rule::Severity,
    source::{Locator, printable},
};

#[derive(Debug, Default)]
pub struct Section {
    occurrences: Occurrences,
}

impl Section {
    pub(super) fn add(
        &mut self,
        entry: Entry<'_>,
        locator: &mut Locator<'_>,
        out: &mut Vec<u8>,
    ) -> io::Result<usize> {
        let Entry { diagnostic, file, index } = entry;
        let path = plain_path(file);
        let digest = FingerprintDigest::of(diagnostic);
        let number = self.occurrences.next(digest);
        let lines = match diagnostic.finding.labels.first() {
            Some(label) => {
                let position = locator.position(label.span)?;
                Lines { begin: position.line, end: position.end_line }
            }
            None => Lines::FIRST,
        };
        let issue = Issue {
            check_name: diagnostic.rule.id,
            fingerprint: digest.within(&format!("{path}\n{number}")).to_string(),
            severity: match diagnostic.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Info | Severity::Off => "info",
            },
            location: Location { path, lines },
            description: &message(diagnostic),
        };
        writeln!(out, "{}", separator(index))?;
        serde_json::to_writer(out, &issue)?;
        Ok("\"}".len())
    }
}

/// The description is last, so that something can be added to it.
#[derive(Serialize)]
struct Issue<'a> {
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
    description: &'a str,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
    end: u64,
}

impl Lines {
    const FIRST: Self = Self { begin: 1, end: 1 };
}

pub(super) fn unread(
    unread: &Unread,
    elements: &mut Elements,
    out: &mut dyn Write,
) -> io::Result<()> {
    let check_name = "acpcheck/unread";
    let path = plain_path(&unread.path);
    let fingerprint =
        Fingerprint { rule: check_name, method: None, shape: None, agent: None }.digest();
    let issue = Issue {
        check_name,
        fingerprint: fingerprint.within(path).to_string(),
        severity: "critical",
        location: Location { path, lines: Lines::FIRST },
        description: &format!("cannot be read: {}", printable(&unread.reason)),
    };
    write!(out, "{}\n{}", elements.before_next(), json(&issue)?)
}

pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    write!(out, "[")
}

pub(super) fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n]")
}
