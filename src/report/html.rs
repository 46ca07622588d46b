//! `--format html`: one page with the findings of each transcript and the text around them.
//!
//! The page runs no script and loads nothing. The templates escape all text from transcripts. The parts
//! of the page are written one by one, so it may be longer than memory.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use askama::Template;

use super::{
    Counts, File, Options, OutputFormat, Plural, Report, Summary, Syntax, TOOL,
    compliance::Places,
    like_it, message,
    page_style::{STYLE, STYLE_HASH},
    recording_notes::RecordingNotes,
    template_filters as filters,
};
use crate::{
    diagnostic::Diagnostic,
    protocol::{Side, Surface},
    rule::Rule,
    rules::CATALOGUE,
    source::{Locator, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    begins_last: true,
    ..OutputFormat::new("html", "A page for a browser, without scripts", Syntax::Html, |options| {
        Box::new(HtmlReport {
            options,
            rules: BTreeMap::new(),
            rows: Vec::new(),
            notes: RecordingNotes::default(),
        })
    })
};

#[derive(Debug)]
struct HtmlReport {
    options: Options,
    /// The findings of each rule, by the rule's index in the catalogue.
    rules: BTreeMap<usize, RuleSum>,
    /// The rows of the page's table of files, in the order of the run.
    rows: Vec<FileRow>,
    notes: RecordingNotes,
}

/// The number of findings of a rule over all files, for the table of rules.
#[derive(Debug, Default)]
struct RuleSum {
    counts: Counts,
    files: u64,
    /// The first file with findings of the rule: its index in the table of files, and its path.
    first: (usize, String),
}

/// A row of the table of rules at the beginning of the page.
#[derive(Debug)]
struct RuleSumRow<'a> {
    rule: &'static Rule,
    sum: &'a RuleSum,
}

#[derive(Debug)]
struct FileRow {
    path: String,
    format: String,
    surface: &'static str,
    messages: u64,
    counts: Counts,
}

/// The beginning of the page with the tables of rules and files. It is written last, when the
/// totals are known.
#[derive(Template)]
#[template(path = "findings-head.html", config = "src/report/askama.toml")]
struct PageHead<'a> {
    tool: (&'static str, &'static str),
    style: &'static str,
    style_hash: &'static str,
    summary: &'a Summary,
    /// The rules with findings, those with the most errors first.
    rules: Vec<RuleSumRow<'a>>,
    rows: &'a [FileRow],
    notes: &'a RecordingNotes,
}

/// The beginning of the section with the findings of one transcript.
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
    places: Places,
    help: Option<&'a str>,
    more: Option<String>,
}

impl<'a> FindingArticle<'a> {
    fn of(
        message: &'a str,
        diagnostic: &'a Diagnostic,
        options: Options,
        locator: &mut Locator<'_>,
    ) -> io::Result<Self> {
        Ok(Self {
            severity: diagnostic.severity.name(),
            rule: diagnostic.rule.id,
            url: options.explained(diagnostic.rule).or_else(|| diagnostic.url()),
            of_whom: match diagnostic.bound {
                Some(Side::Agent) => "the agent",
                Some(Side::Client) => "the client",
                None => "an unknown side",
            },
            message,
            places: Places::read(diagnostic, locator, |label| {
                let pointer =
                    label.pointer.as_deref().map(|pointer| printable(pointer).into_owned());
                (pointer, printable(&label.message).into_owned())
            })?,
            help: diagnostic.finding.help.as_deref(),
            more: like_it(diagnostic),
        })
    }
}

impl Report for HtmlReport {
    fn begin(&mut self, summary: &Summary, mut out: &mut dyn Write) -> io::Result<()> {
        let rules = self.rules.iter();
        let mut rules: Vec<_> =
            rules.map(|(index, sum)| RuleSumRow { rule: CATALOGUE[*index], sum }).collect();
        rules.sort_by_key(|row| {
            let Counts { errors, warnings, infos } = row.sum.counts;
            std::cmp::Reverse((errors, warnings, infos))
        });
        let (rows, notes) = (&self.rows, &self.notes);
        let (tool, style, style_hash) = (TOOL, STYLE, STYLE_HASH);
        let head = PageHead { tool, style, style_hash, summary, rules, rows, notes };
        head.write_into(&mut out)
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        mut out: &mut dyn Write,
    ) -> io::Result<()> {
        let surface = file.outcome.surface.map_or("unknown", Surface::name);
        let number = self.rows.len();
        let mut before = None;
        let mut by_rule: Vec<_> = file.rule_counts.by_rule().collect();
        by_rule.sort_by_key(|(rule, _)| *rule);
        for (rule, counts) in by_rule {
            let first = || RuleSum { first: (number, file.path.to_owned()), ..RuleSum::default() };
            let sum = self.rules.entry(rule).or_insert_with(first);
            sum.counts += counts;
            // There may be one pair for each side.
            sum.files += u64::from(before != Some(rule));
            before = Some(rule);
        }
        let messages = Plural(file.outcome.messages, "message");
        FileSection { file, surface, messages, number }.write_into(&mut out)?;
        let counts = file.counts;
        self.notes.add(file.path, &file.outcome.notes);
        self.rows.push(FileRow {
            path: file.path.to_owned(),
            format: file.format.to_owned(),
            surface,
            messages: file.outcome.messages,
            counts,
        });
        for diagnostic in diagnostics {
            let message = message(diagnostic);
            FindingArticle::of(&message, diagnostic, self.options, locator)?
                .write_into(&mut out)?;
            writeln!(out)?;
        }
        writeln!(out, "</section>")
    }

    fn end(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</main>\n</body>\n</html>")
    }
}
