//! `--format html`: one page with the findings of each transcript and the text around them.
//!
//! The page runs no script and loads nothing. The templates escape all text from transcripts. The parts
//! of the page are written one by one, so it may be longer than memory.

use std::io::{self, BufRead, Write};

use askama::Template;

use super::{
    Counts, File, Format, Options, Plural, Report, Summary, TOOL, TextStyle, copy, full, like_it,
    message, template_filters as filters,
};
use crate::{
    diagnostic::Diagnostic,
    protocol::{Side, Surface},
    source::Locator,
};

pub(super) static FORMAT: Format = Format {
    begins_last: true,
    ..Format::new("html", "A page that loads nothing", render, |_| Box::new(HtmlReport::default()))
};

const STYLE: &str = include_str!("templates/findings.css");

/// The hash of [`STYLE`], the only style that the security policy of the page admits. A test compares
/// the two.
const STYLE_HASH: &str = "sha256-ZrGsxZrPDgB9fZMTMQ2TGlO1tbP+P+FUaxxWeRVA9Eo=";

#[derive(Debug, Default)]
struct HtmlReport {
    /// The rows of the table at the beginning of the page, one for each file.
    rows: Vec<FileRow>,
}

#[derive(Debug)]
struct FileRow {
    path: String,
    counts: Counts,
    /// The notes on a file without findings. Other files show theirs beside their findings.
    notes: Vec<String>,
}

/// The beginning of the page.
#[derive(Template)]
#[template(path = "findings-head.html", config = "src/report/askama.toml")]
struct PageHead<'a> {
    tool: (&'static str, &'static str),
    style: &'static str,
    style_hash: &'static str,
    summary: &'a Summary,
    rows: &'a [FileRow],
}

/// The beginning of a transcript's section.
#[derive(Template)]
#[template(path = "findings-file.html", config = "src/report/askama.toml")]
struct FileSection<'a> {
    file: &'a File<'a>,
    surface: &'static str,
    messages: Plural,
    number: usize,
}

#[derive(Template)]
#[template(path = "findings-item.html", config = "src/report/askama.toml")]
struct FindingArticle<'a> {
    severity: &'static str,
    rule: &'static str,
    url: Option<String>,
    of_whom: &'static str,
    message: &'a str,
    excerpt: &'a str,
}

/// Writes an `article` element for each diagnostic.
fn render(
    file: &File<'_>,
    diagnostics: &[Diagnostic],
    _: Options,
    locator: &mut Locator<'_>,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    for diagnostic in diagnostics {
        let article = FindingArticle {
            severity: diagnostic.severity.name(),
            rule: diagnostic.rule.id,
            url: diagnostic.url(),
            of_whom: match diagnostic.bound {
                Some(Side::Agent) => " of the agent",
                Some(Side::Client) => " of the client",
                None => "",
            },
            message: &message(diagnostic),
            excerpt: &full::excerpt(diagnostic, file.path, TextStyle::PLAIN, locator)?,
        };
        article.write_into(&mut out)?;
        if let Some(more) = like_it(diagnostic) {
            write!(out, "<p>{more}</p>")?;
        }
        writeln!(out, "</article>")?;
    }
    Ok(())
}

impl Report for HtmlReport {
    fn begin(&mut self, summary: &Summary, mut out: &mut dyn Write) -> io::Result<()> {
        let rows = &self.rows;
        let head = PageHead { tool: TOOL, style: STYLE, style_hash: STYLE_HASH, summary, rows };
        head.write_into(&mut out)
    }

    fn file(
        &mut self,
        file: &File<'_>,
        rendered: &mut dyn BufRead,
        mut out: &mut dyn Write,
    ) -> io::Result<()> {
        let surface = file.outcome.surface.map_or("version unknown", Surface::name);
        let messages = Plural(file.outcome.messages, "message");
        FileSection { file, surface, messages, number: self.rows.len() }.write_into(&mut out)?;
        let counts = file.counts;
        let notes = if counts.total() == 0 { file.outcome.notes.clone() } else { Vec::new() };
        self.rows.push(FileRow { path: file.path.to_owned(), counts, notes });
        copy(rendered, out)?;
        writeln!(out, "</section>")
    }

    fn end(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</main>\n</body>\n</html>")
    }
}

#[cfg(test)]
mod tests {
    use crate::report::template_filters::tests::assert_admits_style;

    #[test]
    fn the_policy_admits_the_style_and_nothing_else() {
        assert_admits_style(super::STYLE_HASH, super::STYLE);
    }
}
