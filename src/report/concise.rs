//! `--format concise`: one line for each diagnostic, `path:line:column: severity[rule] side: message`.

use std::io::{self, Write};

use super::{File, FilesOnly, Options, OutputFormat, like_it_behind, side_before};
use crate::{
    diagnostic::Diagnostic,
    rule::Severity,
    source::{Locator, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    is_text: true,
    is_read_along: true,
    ..OutputFormat::new(
        "concise",
        "One line each: path:line:column: severity[rule] side: message",
        render,
        FilesOnly::report,
    )
};

fn render(
    file: &File<'_>,
    diagnostics: &[Diagnostic],
    options: Options,
    locator: &mut Locator<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (path, style) = (printable(file.path), options.style);
    let least = options.min_severity.unwrap_or(Severity::Info);
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
        let (line, column) = match diagnostic.finding.labels.first() {
            Some(label) => (label.span.line, locator.column(label.span)?),
            None => (1, 1),
        };
        let place = format!("{path}:{line}:{column}:");
        let place = style.paint(&place, owo_colors::Style::new().bold());
        let severity = style.paint(diagnostic.severity.name(), style.severity(diagnostic.severity));
        let (rule, message) = (diagnostic.rule.id, printable(&diagnostic.finding.message));
        let more = like_it_behind(diagnostic);
        let side = side_before(diagnostic);
        writeln!(out, "{place} {severity}[{rule}] {side}{message}{more}")?;
    }
    Ok(())
}
