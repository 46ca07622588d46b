//! One line a diagnostic: `path:line:column: severity[rule] message`.

use std::io::{self, Write};

use super::{Entry, Look, like_it};
use crate::source::{Locator, printable};

pub(super) fn diagnostic(
    entry: Entry<'_>,
    look: Look,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    let Entry { diagnostic, file, .. } = entry;
    let (line, column) = match diagnostic.finding.labels.first() {
        Some(label) => (label.span.line, locator.column(label.span)?),
        None => (1, 1),
    };
    let place = format!("{}:{line}:{column}:", printable(file));
    let place = look.paint(&place, owo_colors::Style::new().bold());
    let severity = look.paint(diagnostic.severity.name(), look.severity(diagnostic.severity));
    let (rule, message) = (diagnostic.rule.id, printable(&diagnostic.finding.message));
    writeln!(out, "{place} {severity}[{rule}] {message}")?;
    Ok("\n".len())
}

pub(super) fn repeats(more: u64) -> String {
    format!(" ({})", like_it(more))
}
