//! Workflow commands for GitHub Actions: annotations, the gravest first.
//!
//! GitHub shows ten annotations of each kind a step and drops the others without a word. So no more
//! are written, and one of them says how many there would have been.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{Entry, File, Many, Summary, Unread, like_it, message, plain_path};
use crate::{
    rule::Severity,
    source::{Locator, printable},
};

/// How many annotations of a kind GitHub shows.
const SHOWN: usize = 10;

/// The kinds, in the order of gravity.
const KINDS: [&str; 3] = ["error", "warning", "notice"];

/// An annotation, and the number of its diagnostic in the file.
#[derive(Debug)]
struct Annotation {
    index: u64,
    properties: String,
    message: String,
    help: Option<String>,
}

/// The first few annotations of each kind.
#[derive(Debug, Default)]
pub struct Section {
    kinds: [Vec<Annotation>; 3],
}

impl Section {
    pub(super) fn add(&mut self, entry: Entry<'_>, locator: &mut Locator<'_>) -> io::Result<()> {
        let Entry { diagnostic, file, index } = entry;
        let kind = &mut self.kinds[match diagnostic.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Info | Severity::Off => 2,
        }];
        if kind.len() == SHOWN {
            return Ok(());
        }
        let mut properties = format!("file={}", escaped_property(plain_path(file)));
        if let Some(label) = diagnostic.finding.labels.first() {
            let position = locator.position(label.span)?;
            // Writing to a string cannot fail.
            let _ = write!(properties, ",line={},endLine={}", position.line, position.end_line);
            // Columns of different lines are refused.
            if position.line == position.end_line {
                let (column, end_column) = (position.column, position.end_column);
                let _ = write!(properties, ",col={column},endColumn={end_column}");
            }
        }
        let _ = write!(properties, ",title={}", escaped_property(diagnostic.rule.id));
        kind.push(Annotation {
            index,
            properties,
            message: message(diagnostic).into_owned(),
            help: diagnostic.finding.help.as_deref().map(|help| printable(help).into_owned()),
        });
        Ok(())
    }
}

/// The first few commands of each kind.
#[derive(Debug, Default)]
pub struct Report {
    kinds: [Vec<String>; 3],
}

impl Report {
    pub(super) fn take(&mut self, file: &File<'_>, section: Section) {
        for ((kind, commands), found) in KINDS.iter().zip(&mut self.kinds).zip(section.kinds) {
            let room = SHOWN - commands.len();
            commands.extend(found.into_iter().take(room).map(|annotation| {
                let Annotation { index, properties, mut message, help } = annotation;
                if let Some(more) = file.repeats(index) {
                    let _ = write!(message, " ({})", like_it(more));
                }
                if let Some(help) = help {
                    let _ = write!(message, "\nhelp: {help}");
                }
                command(kind, &properties, &message)
            }));
        }
    }

    pub(super) fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let [errors, warnings, notices] = &mut self.kinds;
        // What could not be judged at all comes before everything.
        let unread = summary.unread.iter().take(SHOWN).map(not_judged);
        errors.splice(0..0, unread);

        let counts = summary.counts;
        let unread = summary.unread.len() as u64;
        let totals = [counts.errors + unread, counts.warnings, counts.infos];
        let is_too_many = totals.iter().any(|total| *total > SHOWN as u64);
        errors.truncate(SHOWN);
        // One of them tells about the others.
        notices.truncate(SHOWN - usize::from(is_too_many));
        if is_too_many {
            let shown = [errors.len(), warnings.len(), notices.len()];
            let more = |kind: usize| totals[kind] - shown[kind] as u64;
            let nouns = ["more error", "more warning", "more note"];
            let more: Vec<_> = (0..3)
                .filter(|kind| more(*kind) > 0)
                .map(|kind| Many(more(kind), nouns[kind]).to_string())
                .collect();
            let message = format!(
                "not annotated: {}; GitHub shows {SHOWN} of each kind a step",
                more.join(", ")
            );
            notices.push(command(KINDS[2], "title=acpcheck", &message));
        }
        for command in self.kinds.iter().flatten() {
            writeln!(out, "{command}")?;
        }
        Ok(())
    }
}

fn not_judged(unread: &Unread) -> String {
    let path = escaped_property(plain_path(&unread.path));
    let message = format!("cannot be read: {}", printable(&unread.reason));
    command(KINDS[0], &format!("file={path},title=acpcheck/unread"), &message)
}

fn command(kind: &str, properties: &str, message: &str) -> String {
    format!("::{kind} {properties}::{}", escaped(message))
}

/// What would end a command is written as GitHub reads it back.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escaped_property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
