//! `--format concise`: one line for each diagnostic, `path:line:column: severity[rule] side: message`.

use std::io::{self, Write};

use super::{File, Options, OutputFormat, Report, Syntax, like_it_behind, side_before};
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
        Syntax::Plain,
        |options| Box::new(ConciseReport { options }),
    )
};

#[derive(Debug)]
struct ConciseReport {
    options: Options,
}

impl Report for ConciseReport {
    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (path, style) = (printable(file.path), self.options.style);
        let least = self.options.min_severity.unwrap_or(Severity::Info);
        for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least) {
            let (line, column) = match diagnostic.finding.labels.first() {
                Some(label) => (label.span.line, locator.column(label.span)?),
                None => (1, 1),
            };
            let place = format!("{path}:{line}:{column}:");
            let place = style.paint(&place, owo_colors::Style::new().bold());
            let severity =
                style.paint(diagnostic.severity.name(), style.severity(diagnostic.severity));
            let (rule, message) = (diagnostic.rule.id, printable(&diagnostic.finding.message));
            let (side, more) = (side_before(diagnostic), like_it_behind(diagnostic));
            writeln!(out, "{place} {severity}[{rule}] {side}{message}{more}")?;
        }
        Ok(())
    }
}
