//! `--format full`: diagnostics with the text around each place, drawn by miette.
//!
//! Findings of one [cause](super::causes) are drawn once. The report is written at its end.

use std::{
    fmt,
    io::{self, Write},
};

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeStyles};
use owo_colors::Style;

use super::{
    File, Options, OutputFormat, Plural, Report, Summary, Syntax, TextStyle,
    causes::{self, Cause, Causes},
    elsewhere,
    implementations::Implementations,
    wrapped,
};
use crate::{
    diagnostic::Diagnostic,
    rule::Severity,
    source::{Excerpts, Locator, Reach, Span, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    is_text: true,
    ..OutputFormat::new(
        "full",
        "With the text around each place, each cause once",
        Syntax::Plain,
        |options| {
            Box::new(FullReport {
                options,
                causes: Causes::default(),
                implementations: Implementations::default(),
            })
        },
    )
};

impl Options {
    /// The lowest severity that the report shows. By default infos are hidden, unless they make the
    /// run fail.
    fn least_shown(self) -> Severity {
        self.min_severity.unwrap_or(Severity::Warning.min(self.fail_on))
    }

    /// How many causes (groups of similar findings) the report shows at most; the others are
    /// counted.
    fn most_shown(self) -> usize {
        if self.shows_all { usize::MAX } else { causes::SHOWN }
    }
}

/// The report in full over all files, `--format full`. Findings are collected and written at the
/// end.
#[derive(Debug)]
struct FullReport {
    options: Options,
    causes: Causes,
    implementations: Implementations,
}

impl Report for FullReport {
    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        _: &mut dyn Write,
    ) -> io::Result<()> {
        let (least, most) = (self.options.least_shown(), self.options.most_shown());
        self.implementations.begin(file.outcome);
        let shown = diagnostics.iter().filter(|diagnostic| diagnostic.severity >= least);
        let shown = shown.map(|found| (found, self.implementations.add(file.outcome, found)));
        self.causes.add(&printable(file.path), shown, most, |diagnostic| {
            draw(diagnostic, file.path, self.options.style, locator)
        })
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let style = self.options.style;
        let (mut shown, others) = self.causes.shown(self.options.most_shown());
        let ranking = self.implementations.ranking();
        for line in self.implementations.lines(&ranking) {
            writeln!(out, "{}", style.wrap("", "  ", &line))?;
        }
        if !ranking.is_empty() {
            writeln!(out)?;
        }
        let rank = |cause: &Cause| ranking.iter().position(|&of| of == cause.implementation);
        shown.sort_by_key(|cause| rank(cause));
        let mut titled = None;
        for cause in shown {
            if ranking.len() > 1 && titled != Some(cause.implementation) {
                let title = format!("── {} ──", self.implementations.title(cause.implementation));
                let title = style.wrap("", "   ", &title);
                writeln!(out, "{}\n", style.paint(&title, Style::new().bold()))?;
                titled = Some(cause.implementation);
            }
            out.write_all(cause.drawing.as_bytes())?;
            if let Some(note) = cause.note() {
                let note = self.options.style.wrap("  note: ", "        ", &note);
                writeln!(out, "{note}")?;
            }
            writeln!(out)?;
        }
        if !self.options.shows_hints {
            return Ok(());
        }
        if others > 0 {
            let causes = Plural(others as u64, "more cause");
            let line = format!("and findings of {causes}: `--all` shows them");
            writeln!(out, "{}", self.options.style.wrap("", "", &line))?;
        }
        let least = self.options.least_shown();
        let hidden = summary.counts.below(least);
        if hidden.total() > 0 {
            let lowest = if hidden.infos > 0 { Severity::Info } else { Severity::Warning };
            let line = format!("{hidden} hidden: `--min-severity {lowest}` shows them");
            writeln!(out, "{}", self.options.style.wrap("", "", &line))?;
        }
        Ok(())
    }
}

/// Draws a diagnostic with the text around its places, for terminals. Ends without an empty line.
/// Fails when the file cannot be read again.
pub fn draw(
    diagnostic: &Diagnostic,
    file: &str,
    style: TextStyle,
    locator: &mut Locator<'_>,
) -> io::Result<String> {
    let report = MietteDiagnostic::new(diagnostic, file, style, locator)?;
    let handler = GraphicalReportHandler::new_themed(theme(&report, diagnostic, style))
        .with_links(false)
        .without_syntax_highlighting()
        // Messages are wrapped already.
        .with_wrap_lines(false);
    let mut drawing = String::new();
    handler
        .render_report(&mut drawing, &report)
        .map_err(|fmt::Error| io::Error::other("a diagnostic could not be drawn"))?;
    for place in elsewhere(diagnostic) {
        drawing.push_str(&style.wrap("  note: ", "        ", &place));
        drawing.push('\n');
    }
    Ok(drawing)
}

/// The colours of a drawing: the first label in the colour of the severity, others in blue.
fn theme(report: &MietteDiagnostic, diagnostic: &Diagnostic, style: TextStyle) -> GraphicalTheme {
    if !style.color {
        return GraphicalTheme::unicode_nocolor();
    }
    let severity = style.severity(diagnostic.severity);
    let mut offsets: Vec<_> = report.labels.iter().map(LabeledSpan::offset).collect();
    offsets.sort_unstable();
    let primary = report.labels.first().map(LabeledSpan::offset);
    let highlights = offsets
        .into_iter()
        .map(|offset| if Some(offset) == primary { severity } else { Style::new().blue().bold() })
        .collect();
    let styles = ThemeStyles {
        error: severity,
        warning: severity,
        advice: severity,
        help: Style::new().cyan(),
        link: Style::new().dimmed(),
        linum: Style::new().dimmed(),
        highlights,
    };
    GraphicalTheme { styles, ..GraphicalTheme::unicode() }
}

/// A diagnostic in the form in which the crate `miette` draws it, with excerpts.
#[derive(Debug)]
struct MietteDiagnostic {
    code: String,
    url: Option<String>,
    severity: miette::Severity,
    message: String,
    help: Option<String>,
    excerpts: Excerpts,
    /// The labels in the order of the finding; the first is the place of the fault.
    labels: Vec<LabeledSpan>,
}

impl MietteDiagnostic {
    fn new(
        diagnostic: &Diagnostic,
        file: &str,
        style: TextStyle,
        locator: &mut Locator<'_>,
    ) -> io::Result<Self> {
        let Diagnostic { rule, severity, finding, .. } = diagnostic;
        let spans: Vec<Span> = finding.labels.iter().map(|label| label.span).collect();
        let reach = style.columns.map_or(Reach::WIDE, Reach::fitting);
        let (excerpts, places) = Excerpts::read(file, &spans, reach, locator)?;
        let labels =
            finding.labels.iter().zip(places).enumerate().map(|(index, (label, place))| {
                let message = printable(&label.message);
                let message = Some(match style.columns {
                    Some(columns) => label_lines(&message, columns, excerpts.indent(place)),
                    None => message.into_owned(),
                });
                if index == 0 {
                    LabeledSpan::new_primary_with_span(message, place)
                } else {
                    LabeledSpan::new_with_span(message, place)
                }
            });
        let labels = labels.collect();
        let mut code = format!("{severity}[{}]", rule.id);
        if let Some(side) = diagnostic.bound {
            let side = format!(" by the {side}");
            let fits = style.columns.is_none_or(|columns| code.len() + side.len() <= columns);
            code.push_str(if fits { "" } else { "\n " });
            code.push_str(&side);
        }
        let fits = |length: usize| style.columns.is_none_or(|columns| length <= columns);
        let last = code.lines().last().map_or(0, str::len);
        let mut url = diagnostic.url();
        // What does not fit beside the rule stands below it, or where `explain` shows it.
        if let Some(long) = url.take_if(|url| !fits(last + url.len() + 3)) {
            let explained = format!("`acpcheck explain {}`", rule.id);
            if let Some(text) = [long, explained].iter().find(|text| fits(text.len() + 4)) {
                code.push_str(&format!("\n  ({text})"));
            }
        }
        Ok(Self {
            url,
            code,
            severity: match severity {
                Severity::Error => miette::Severity::Error,
                Severity::Warning => miette::Severity::Warning,
                Severity::Info | Severity::Off => miette::Severity::Advice,
            },
            message: style.drawn_message(&printable(&finding.message)),
            help: finding.help.as_deref().map(|help| style.drawn_help(&printable(help))),
            excerpts,
            labels,
        })
    }
}

/// The message of a label, broken into lines that fit beside the text. `columns` is the width of
/// the terminal, `indent` the column at which the label's mark is.
fn label_lines(message: &str, columns: usize, indent: usize) -> String {
    /// Number of columns that line number, frame and mark take beside a label.
    const FRAME: usize = 12;
    const LEAST: usize = 16;
    let room = columns.saturating_sub(indent + FRAME).max(LEAST);
    wrapped("", "", message, room)
}

impl fmt::Display for MietteDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for MietteDiagnostic {}

impl miette::Diagnostic for MietteDiagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn url<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.url.as_ref().map(|url| Box::new(url) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpts)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{protocol::Version, rule::Finding, rules::CATALOGUE};

    /// For tests: draws a finding about parts of a text, each with a message, at a width of
    /// `columns`. The first part is the primary one.
    fn drawn(text: &str, parts: &[(&str, &str)], columns: Option<usize>) -> String {
        let mut finding = Finding::new("this is what happens").help("do something else");
        for (part, message) in parts {
            finding = finding.at(span(text, part), (*message).to_owned());
        }
        let diagnostic = Diagnostic {
            rule: CATALOGUE[0],
            severity: Severity::Warning,
            bound: None,
            finding,
            version: Version::V1,
            connection: 0,
            method: None,
            client: None,
            agent: None,
            repeats: 0,
        };
        let mut bytes = text.as_bytes();
        let style = TextStyle { color: false, columns };
        let drawing = draw(&diagnostic, "t.ndjson", style, &mut Locator::new(&mut bytes));
        // Without the rule and its page.
        drawing.expect("in memory").lines().skip(2).collect::<Vec<_>>().join("\n")
    }

    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).expect("the part is in the text");
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[..start].matches('\n').count() + 1;
        Span {
            start: start as u64,
            len: u32::try_from(part.len()).expect("short"),
            line: u32::try_from(line).expect("few lines"),
            column: u32::try_from(start - line_start).expect("short"),
        }
    }

    #[test]
    fn earlier_messages_come_first() {
        let text = "{\"id\":\"build\",\"n\":1}\n{\"id\":\"other\"}\n{\"again\":\"build\"}\n";
        let parts = [("\"again\"", "again here"), ("\"build\"", "first here")];
        insta::assert_snapshot!(drawn(text, &parts, None));
    }

    #[test]
    fn places_of_one_line_share_a_snippet() {
        let text = "{\"id\":\"build\",\"n\":1,\"name\":\"日本語\tx\",\"again\":\"bild\"}\n";
        let parts = [
            ("\"bild\"", "this one"),
            ("\"build\"", "differs from this"),
            ("\"日本語\tx\"", "wide"),
        ];
        insta::assert_snapshot!(drawn(text, &parts, None));
    }

    #[test]
    fn places_in_places_have_snippets_of_their_own() {
        let text = "{\"update\":{\"entries\":[{\"content\":\"a\"},{\"content\":\"a\"}]}}\n";
        let parts = [
            ("{\"content\":\"a\"}", "the entry"),
            ("\"a\"", "its content"),
            ("[{\"content\":\"a\"},{\"content\":\"a\"}]", "all of them"),
        ];
        insta::assert_snapshot!(drawn(text, &parts, None));
    }

    #[test]
    fn places_far_apart_in_a_line_have_snippets_of_their_own() {
        let text = format!("{{\"a\":1,{}\"z\":2}}\n", "\"filler\":\"…\",".repeat(100_000));
        let parts = [("\"z\":2", "the end"), ("\"a\":1", "the beginning")];
        insta::assert_snapshot!(drawn(&text, &parts, None));
    }

    #[test]
    fn a_narrow_terminal_shows_less() {
        let text = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\"}}\n";
        let parts = [("\"s\"", "a long remark that does not fit beside the value it is about")];
        insta::assert_snapshot!(drawn(text, &parts, Some(60)));
    }
}
