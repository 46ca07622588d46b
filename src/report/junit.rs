//! JUnit XML: a suite for each transcript and side, a case for each rule.
//!
//! A rule that the transcript gives no occasion for is skipped; one that was broken at or above the
//! threshold has failed. An input that was not judged is an error.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::{Counts, Entry, File, TOOL, Terms, Unread, like_it, message};
use crate::{
    check::Tally,
    protocol::{Side, Surface, Version},
    rule::{Bound, Rule, Severity},
    rules::CATALOGUE,
    source::{Locator, printable},
};

/// Whose conduct a suite is about: the places of [`crate::check::Outcome::sides`].
const SIDES: [&str; 3] = ["client", "agent", "either side"];

/// How many findings of a severity a case lists.
const LISTED: usize = 50;

/// The findings about one side by one rule.
#[derive(Debug, Default)]
struct Case {
    counts: Counts,
    /// The line of the first one.
    line: Option<u64>,
    listed: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    severity: Severity,
    /// Number of the diagnostic in the file.
    index: u64,
    place: String,
    message: String,
    help: Option<String>,
}

/// The findings of one file by side and rule.
#[derive(Debug, Default)]
pub struct Section {
    cases: BTreeMap<(usize, usize), Case>,
}

impl Section {
    pub(super) fn add(&mut self, entry: Entry<'_>, locator: &mut Locator<'_>) -> io::Result<()> {
        let Entry { diagnostic, index, .. } = entry;
        let Some(rule) = CATALOGUE.iter().position(|rule| std::ptr::eq(*rule, diagnostic.rule))
        else {
            return Ok(());
        };
        let side = diagnostic.bound.map_or(2, |side| side as usize);
        let case = self.cases.entry((side, rule)).or_default();
        let severity = diagnostic.severity;
        case.counts.add(severity);
        if case.listed.iter().filter(|line| line.severity == severity).count() == LISTED {
            return Ok(());
        }
        let place = match diagnostic.finding.labels.first() {
            Some(label) => {
                case.line = case.line.or(Some(label.span.line.into()));
                format!("{}:{}", label.span.line, locator.column(label.span)?)
            }
            None => "1:1".to_owned(),
        };
        case.listed.push(Line {
            severity,
            index,
            place,
            message: message(diagnostic).into_owned(),
            help: diagnostic.finding.help.as_deref().map(|help| printable(help).into_owned()),
        });
        Ok(())
    }
}

/// How many cases there are, and what became of them.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl Sums {
    fn attributes(self) -> [(&'static str, String); 4] {
        let Self { tests, failures, errors, skipped } = self;
        [("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)]
            .map(|(name, count)| (name, count.to_string()))
    }
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }
}

#[derive(Debug)]
pub struct Report {
    terms: Terms,
    sums: Sums,
}

impl Report {
    pub(super) fn new(terms: Terms) -> Self {
        Self { terms, sums: Sums::default() }
    }

    pub(super) fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = Writer::new(out);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let mut suites = start("testsuites", &[("name", TOOL.0)]);
        add(&mut suites, &self.sums.attributes());
        writer.write_event(Event::Text(BytesText::new("\n")))?;
        writer.write_event(Event::Start(suites))
    }

    pub(super) fn end_file(
        &mut self,
        file: &File<'_>,
        section: &Section,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for side in 0..SIDES.len() {
            let rows: Vec<_> = CATALOGUE
                .iter()
                .enumerate()
                .filter_map(|(index, rule)| {
                    let case = section.cases.get(&(side, index));
                    let tally =
                        file.outcome.sides.get(index).map_or(Tally::default(), |it| it[side]);
                    let is_judged = tally.exercised > 0 || concerns(index, rule, side, file);
                    (case.is_some() || is_judged).then_some(Row { rule, case, tally })
                })
                .collect();
            if !rows.is_empty() {
                self.suite(file, side, &rows, out)?;
            }
        }
        Ok(())
    }

    fn suite(
        &mut self,
        file: &File<'_>,
        side: usize,
        rows: &[Row<'_>],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut sums = Sums { tests: rows.len() as u64, ..Sums::default() };
        for row in rows {
            sums.failures += u64::from(row.has_failed(self.terms.fail_on));
            sums.skipped += u64::from(row.is_skipped());
        }
        self.sums += sums;

        let name = format!("{} ({})", printable(file.path), SIDES[side]);
        let mut suite = start("testsuite", &[("name", &name), ("file", file.path)]);
        add(&mut suite, &sums.attributes());
        let mut writer = Xml(Writer::new(out));
        writer.open(1, suite)?;
        let outcome = file.outcome;
        let facts = [
            ("format", file.format),
            ("surface", outcome.surface.map_or("unknown", Surface::name)),
            ("edition", outcome.edition.name()),
        ];
        writer.open(2, start("properties", &[]))?;
        for (name, value) in facts {
            writer.empty(3, start("property", &[("name", name), ("value", value)]))?;
        }
        writer.close(2, "properties")?;
        for row in rows {
            self.case(file, &name, row, &mut writer)?;
        }
        if !outcome.notes.is_empty() {
            writer.text(2, start("system-out", &[]), &outcome.notes.join("\n"))?;
        }
        writer.close(1, "testsuite")
    }

    fn case(
        &self,
        file: &File<'_>,
        suite: &str,
        row: &Row<'_>,
        writer: &mut Xml<'_>,
    ) -> io::Result<()> {
        let mut case = start("testcase", &[("name", row.rule.id), ("classname", suite)]);
        let Some(found) = row.case else {
            // Most of a report are these.
            return if row.is_skipped() { writer.skipped(2, case) } else { writer.empty(2, case) };
        };
        case.push_attribute(("file", &*printable(file.path)));
        if let Some(line) = found.line {
            add(&mut case, &[("line", line.to_string())]);
        }
        writer.open(2, case)?;
        let threshold = self.terms.fail_on;
        if let Some(first) = found.listed.iter().find(|line| line.severity >= threshold) {
            let what = [("message", &*first.message), ("type", first.severity.name())];
            let body = found.list(file, |severity| severity >= threshold);
            writer.text(3, start("failure", &what), &body)?;
        }
        if found.listed.iter().any(|line| line.severity < threshold) {
            let body = found.list(file, |severity| severity < threshold);
            writer.text(3, start("system-out", &[]), &body)?;
        }
        writer.close(2, "testcase")
    }

    pub(super) fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        let sums = Sums { tests: 1, errors: 1, ..Sums::default() };
        self.sums += sums;
        let path = printable(&unread.path);
        let mut suite = start("testsuite", &[("name", &*path), ("file", &path)]);
        add(&mut suite, &sums.attributes());
        let mut writer = Xml(Writer::new(out));
        writer.open(1, suite)?;
        let attributes = [("name", "acpcheck/unread"), ("classname", &*path), ("file", &path)];
        writer.open(2, start("testcase", &attributes))?;
        let reason = printable(&unread.reason);
        writer.empty(3, start("error", &[("message", &reason), ("type", "unread")]))?;
        writer.close(2, "testcase")?;
        writer.close(1, "testsuite")
    }
}

/// Whether the rule would have judged this side, had there been an occasion.
fn concerns(index: usize, rule: &Rule, side: usize, file: &File<'_>) -> bool {
    let may_bind = match rule.binds {
        Bound::Client => side == Side::Client as usize,
        Bound::Agent => side == Side::Agent as usize,
        Bound::Either => side == 2,
        Bound::Sender | Bound::Responder => side != 2,
    };
    let version = file.outcome.surface.map(Surface::version);
    let applies = |version: Version| {
        let severity = file.severities.of(index).severity.of(version);
        severity != Severity::Off
            && rule.surfaces.concern(version)
            && rule.editions.of(version).contain(file.outcome.edition)
    };
    let versions = version.map_or(vec![Version::V1, Version::V2], |version| vec![version]);
    may_bind && versions.into_iter().any(applies)
}

pub(super) fn end(out: &mut dyn Write) -> io::Result<()> {
    Xml(Writer::new(out)).close(0, "testsuites")?;
    writeln!(out)
}

/// A rule in a suite.
struct Row<'a> {
    rule: &'a Rule,
    case: Option<&'a Case>,
    tally: Tally,
}

impl Row<'_> {
    fn has_failed(&self, threshold: Severity) -> bool {
        self.case.is_some_and(|case| case.counts.reach(threshold))
    }

    fn is_skipped(&self) -> bool {
        self.case.is_none() && self.tally.exercised == 0
    }
}

impl Case {
    /// The findings of some severities, a line each, and how many are left out.
    fn list(&self, file: &File<'_>, is_wanted: impl Fn(Severity) -> bool) -> String {
        let wanted = self.listed.iter().filter(|line| is_wanted(line.severity));
        let mut list = String::new();
        let mut listed = 0;
        for Line { severity, index, place, message, help } in wanted {
            let more = file.repeats(*index).map(|more| format!(" ({})", like_it(more)));
            let more = more.unwrap_or_default();
            list.push_str(&format!("{}:{place}: {severity}: {message}{more}\n", file.path));
            if let Some(help) = help {
                list.push_str(&format!("  help: {help}\n"));
            }
            listed += 1;
        }
        let Counts { errors, warnings, infos } = self.counts;
        let counts =
            [(Severity::Error, errors), (Severity::Warning, warnings), (Severity::Info, infos)];
        let total: u64 = counts
            .iter()
            .filter(|(severity, _)| is_wanted(*severity))
            .map(|(_, count)| count)
            .sum();
        if total > listed {
            list.push_str(&format!("and {} more\n", total - listed));
        }
        list
    }
}

/// Elements, each on a line of its own.
struct Xml<'w>(Writer<&'w mut dyn Write>);

impl Xml<'_> {
    fn line(&mut self, depth: usize) -> io::Result<()> {
        let indent = " ".repeat(depth * 2);
        self.0.write_event(Event::Text(BytesText::new(&format!("\n{indent}"))))
    }

    fn open(&mut self, depth: usize, element: BytesStart<'_>) -> io::Result<()> {
        self.line(depth)?;
        self.0.write_event(Event::Start(element))
    }

    fn close(&mut self, depth: usize, name: &str) -> io::Result<()> {
        self.line(depth)?;
        self.0.write_event(Event::End(BytesEnd::new(name)))
    }

    fn empty(&mut self, depth: usize, element: BytesStart<'_>) -> io::Result<()> {
        self.line(depth)?;
        self.0.write_event(Event::Empty(element))
    }

    fn skipped(&mut self, depth: usize, case: BytesStart<'_>) -> io::Result<()> {
        let end = case.to_end().into_owned();
        self.line(depth)?;
        self.0.write_event(Event::Start(case))?;
        self.0.write_event(Event::Empty(start("skipped", &[])))?;
        self.0.write_event(Event::End(end))
    }

    /// An element with a text of several lines in it.
    fn text(&mut self, depth: usize, element: BytesStart<'_>, lines: &str) -> io::Result<()> {
        let end = element.to_end().into_owned();
        self.line(depth)?;
        self.0.write_event(Event::Start(element))?;
        let lines: Vec<_> = lines.trim_end().lines().map(printable).collect();
        self.0.write_event(Event::Text(BytesText::new(&lines.join("\n"))))?;
        self.0.write_event(Event::End(end))
    }
}

fn start<'n>(name: &'n str, attributes: &[(&str, &str)]) -> BytesStart<'n> {
    let mut element = BytesStart::new(name);
    for (name, value) in attributes {
        element.push_attribute((*name, &*printable(value)));
    }
    element
}

fn add(element: &mut BytesStart<'_>, attributes: &[(&str, String)]) {
    for (name, value) in attributes {
        element.push_attribute((*name, value.as_str()));
    }
}
