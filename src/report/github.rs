//! `--format github`: workflow commands for GitHub Actions, which become annotations. Errors come first.
//!
//! GitHub shows ten annotations of each kind a step and drops the others silently. So only ten of each
//! are written, and one of them gives the number of the others.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{
    File, OutputFormat, Plural, Report, Summary, Syntax, Unread, like_it_behind, message,
    plain_path, rank, side_before,
};
use crate::{
    diagnostic::Diagnostic,
    source::{Locator, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    goes_with_text: true,
    ..OutputFormat::new(
        "github",
        "GitHub Actions workflow commands: annotations, errors first",
        Syntax::Plain,
        |_| Box::new(GithubReport::default()),
    )
};

/// Most annotations of one kind that GitHub shows for a step of a workflow.
const SHOWN: usize = 10;

/// The kinds of GitHub annotations for errors, warnings and infos; the index is the [`rank`] of the
/// severity.
const KINDS: [&str; 3] = ["error", "warning", "notice"];

/// The workflow command by which GitHub annotates the place of a diagnostic.
fn annotation(
    kind: &str,
    path: &str,
    diagnostic: &Diagnostic,
    locator: &mut Locator<'_>,
) -> io::Result<String> {
    let mut properties = format!("file={}", escaped_property(plain_path(path)));
    if let Some(label) = diagnostic.finding.labels.first() {
        let position = locator.position(label.span)?;
        // Writing to a string cannot fail.
        let _ = write!(properties, ",line={},endLine={}", position.line, position.end_line);
        // GitHub refuses columns of different lines.
        if position.line == position.end_line {
            let (column, end_column) = (position.column, position.end_column);
            let _ = write!(properties, ",col={column},endColumn={end_column}");
        }
    }
    let _ = write!(properties, ",title={}", escaped_property(diagnostic.rule.id));
    let mut message =
        format!("{}{}{}", side_before(diagnostic), message(diagnostic), like_it_behind(diagnostic));
    if let Some(help) = &diagnostic.finding.help {
        let _ = write!(message, "\nhelp: {}", printable(help));
    }
    Ok(command(kind, &properties, &message))
}

/// The report `--format github`: the first [`SHOWN`] commands of each kind over all files, written
/// at the end.
#[derive(Debug, Default)]
struct GithubReport {
    kinds: [Vec<String>; 3],
}

impl Report for GithubReport {
    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        _: &mut dyn Write,
    ) -> io::Result<()> {
        for diagnostic in diagnostics {
            let kind = rank(diagnostic.severity);
            let commands = &mut self.kinds[kind];
            if commands.len() < SHOWN {
                commands.push(annotation(KINDS[kind], file.path, diagnostic, locator)?);
            }
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
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
            let nouns = ["more error", "more warning", "more info"];
            let more: Vec<_> = (0..3)
                .filter(|kind| more(*kind) > 0)
                .map(|kind| Plural(more(kind), nouns[kind]).to_string())
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

/// The text of a workflow command with the characters escaped that would end the command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escaped_property(text: &str) -> String {
    // A path that a terminal or CI server would obey is shown at no file.
    escaped(&printable(text)).replace(':', "%3A").replace(',', "%2C")
}
