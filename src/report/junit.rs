//! `--format junit`: JUnit XML, a suite for each transcript and side, a case for each rule that was
//! exercised or has findings. `junit-all` has the other rules, too, as skipped cases.
//!
//! A rule with findings at or above the threshold has failed. An input that was not judged is an error.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::{
    Counts, File, Options, OutputFormat, Report, Summary, Syntax, TOOL, Unread, like_it_behind,
    message, rule_index,
};
use crate::{
    check::Tally,
    diagnostic::Diagnostic,
    protocol::{Side, Surface, Version},
    rule::{Bound, Rule, Severity},
    rules::CATALOGUE,
    source::{Locator, printable},
};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    begins_last: true,
    ..OutputFormat::new(
        "junit",
        "JUnit XML: a suite for each transcript and side, a case for each exercised rule",
        Syntax::Xml,
        |options| Box::new(JunitReport::new(options, Cases::Exercised)),
    )
};

pub(super) static ALL: OutputFormat = OutputFormat {
    begins_last: true,
    ..OutputFormat::new(
        "junit-all",
        "As `junit`, with rules that were not exercised as skipped cases",
        Syntax::Xml,
        |options| Box::new(JunitReport::new(options, Cases::All)),
    )
};

/// Which rules have a `<testcase>` in the JUnit report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cases {
    /// A `<testcase>` only for rules that were exercised (their condition was met) or have
    /// findings; the report has no skipped cases.
    Exercised,
    /// All rules that apply to the transcript and side; those not exercised are skipped.
    All,
}

/// The names of the sides in the suites, by the index of the side in
/// [`crate::check::Outcome::sides`].
const SIDES: [&str; 3] = ["client", "agent", "either side"];

/// What the numbers of the document count, for readers who compare them with those of other outputs.
const COUNTED: &str = " A test case is a rule, judged for one side of one transcript: with several findings, it \
                       fails once. Findings are listed without their repeats. ";

/// How many findings of one severity a test case lists; further ones are counted.
const LISTED: usize = 50;

/// The findings of one rule about one side of a transcript, as a `<testcase>`.
#[derive(Debug, Default)]
struct TestCase<'a> {
    /// The line of the first finding; `None` when none has a place.
    line: Option<u64>,
    listed: Vec<ListedDiagnostic<'a>>,
}

/// A finding in the list of a test case. `place` is its `line:column`, both from 1.
#[derive(Debug)]
struct ListedDiagnostic<'a> {
    diagnostic: &'a Diagnostic,
    place: String,
}

/// The findings of a file as test cases, by side ([`Side::index`]) and the index of the rule in the
/// catalogue.
type TestCases<'a> = BTreeMap<(usize, usize), TestCase<'a>>;

fn cases<'a>(
    diagnostics: &'a [Diagnostic],
    locator: &mut Locator<'_>,
) -> io::Result<TestCases<'a>> {
    let mut cases = TestCases::default();
    for diagnostic in diagnostics {
        let Some(rule) = rule_index(diagnostic) else { continue };
        let case = cases.entry((Side::index(diagnostic.bound), rule)).or_default();
        let severity = diagnostic.severity;
        let is_alike = |line: &&ListedDiagnostic<'_>| line.diagnostic.severity == severity;
        if case.listed.iter().filter(is_alike).count() == LISTED {
            continue;
        }
        let place = match diagnostic.finding.labels.first() {
            Some(label) => {
                case.line = case.line.or(Some(label.span.line.into()));
                format!("{}:{}", label.span.line, locator.column(label.span)?)
            }
            None => "1:1".to_owned(),
        };
        case.listed.push(ListedDiagnostic { diagnostic, place });
    }
    Ok(cases)
}

/// The number of test cases, in all and by result, for the attributes of suites.
#[derive(Clone, Copy, Debug, Default)]
struct CaseCounts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

impl CaseCounts {
    /// The counts of one suite. A case with findings at or above `threshold` is a failure.
    fn of(rows: &[CaseRow], threshold: Severity) -> Self {
        let mut counts = Self { tests: rows.len() as u64, ..Self::default() };
        for row in rows {
            counts.failures += u64::from(row.counts.reaches(threshold));
            counts.skipped += u64::from(row.is_skipped());
        }
        counts
    }

    fn attributes(self) -> [(&'static str, String); 4] {
        let Self { tests, failures, errors, skipped } = self;
        [("tests", tests), ("failures", failures), ("errors", errors), ("skipped", skipped)]
            .map(|(name, count)| (name, count.to_string()))
    }
}

impl std::ops::AddAssign for CaseCounts {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }
}

fn suite(
    file: &File<'_>,
    side: usize,
    rows: &[CaseRow],
    cases: &TestCases<'_>,
    threshold: Severity,
    writer: &mut Xml<'_>,
) -> io::Result<()> {
    let name = format!("{} ({})", printable(file.path), SIDES[side]);
    let mut suite = start("testsuite", &[("name", &name), ("file", file.path)]);
    add(&mut suite, &CaseCounts::of(rows, threshold).attributes());
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
        let mut element = start("testcase", &[("name", row.rule.id), ("classname", &name)]);
        match cases.get(&(side, row.index)) {
            Some(case) => {
                element.push_attribute(("file", &*printable(file.path)));
                case.write(file.path, row.counts, threshold, element, writer)?;
            }
            None if row.is_skipped() => writer.skipped(2, element)?,
            None => writer.empty(2, element)?,
        }
    }
    if !outcome.notes.is_empty() {
        writer.text(2, start("system-out", &[]), &outcome.notes.join("\n"))?;
    }
    writer.close(1, "testsuite")
}

impl TestCase<'_> {
    fn write(
        &self,
        path: &str,
        counts: Counts,
        threshold: Severity,
        mut element: BytesStart<'_>,
        writer: &mut Xml<'_>,
    ) -> io::Result<()> {
        if let Some(line) = self.line {
            add(&mut element, &[("line", line.to_string())]);
        }
        writer.open(2, element)?;
        let severities = || self.listed.iter().map(|line| line.diagnostic);
        if let Some(first) = severities().find(|it| it.severity >= threshold) {
            let message = message(first);
            let what = [("message", &*message), ("type", first.severity.name())];
            let body = self.list(path, counts, |severity| severity >= threshold);
            writer.text(3, start("failure", &what), &body)?;
        }
        if severities().any(|it| it.severity < threshold) {
            let body = self.list(path, counts, |severity| severity < threshold);
            writer.text(3, start("system-out", &[]), &body)?;
        }
        writer.close(2, "testcase")
    }

    /// The findings of the wanted severities, one on each line, and the number of those that are
    /// not listed. `counts` has the numbers of all findings of the test case.
    fn list(&self, path: &str, counts: Counts, is_wanted: impl Fn(Severity) -> bool) -> String {
        let mut list = String::new();
        let mut listed = 0;
        for ListedDiagnostic { diagnostic, place } in &self.listed {
            let severity = diagnostic.severity;
            if !is_wanted(severity) {
                continue;
            }
            let (message, more) = (message(diagnostic), like_it_behind(diagnostic));
            list.push_str(&format!("{path}:{place}: {severity}: {message}{more}\n"));
            if let Some(help) = &diagnostic.finding.help {
                list.push_str(&format!("  help: {}\n", printable(help)));
            }
            listed += 1;
        }
        let Counts { errors, warnings, infos } = counts;
        let counts =
            [(Severity::Error, errors), (Severity::Warning, warnings), (Severity::Info, infos)];
        let wanted = counts.iter().filter(|(severity, _)| is_wanted(*severity));
        let total: u64 = wanted.map(|(_, count)| count).sum();
        if total > listed {
            list.push_str(&format!("and {} more\n", total - listed));
        }
        list
    }
}

/// The report `--format junit` over all files, a `<testsuites>` element. Its beginning holds counts
/// of all suites, so it is written last.
#[derive(Debug)]
struct JunitReport {
    options: Options,
    wanted: Cases,
    counts: CaseCounts,
}

impl JunitReport {
    fn new(options: Options, wanted: Cases) -> Self {
        Self { options, wanted, counts: CaseCounts::default() }
    }
}

impl Report for JunitReport {
    fn begin(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = Writer::new(out);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        let mut suites = start("testsuites", &[("name", TOOL.0)]);
        add(&mut suites, &self.counts.attributes());
        writer.write_event(Event::Text(BytesText::new("\n")))?;
        writer.write_event(Event::Comment(BytesText::new(COUNTED)))?;
        writer.write_event(Event::Text(BytesText::new("\n")))?;
        writer.write_event(Event::Start(suites))
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let threshold = self.options.fail_on;
        let cases = cases(diagnostics, locator)?;
        let mut writer = Xml(Writer::new(out));
        for side in 0..SIDES.len() {
            let rows = rows(file, side, self.wanted);
            if !rows.is_empty() {
                self.counts += CaseCounts::of(&rows, threshold);
                suite(file, side, &rows, &cases, threshold, &mut writer)?;
            }
        }
        Ok(())
    }

    fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        let counts = CaseCounts { tests: 1, errors: 1, ..CaseCounts::default() };
        self.counts += counts;
        let path = printable(&unread.path);
        let mut suite = start("testsuite", &[("name", &*path), ("file", &path)]);
        add(&mut suite, &counts.attributes());
        let mut writer = Xml(Writer::new(out));
        writer.open(1, suite)?;
        let attributes = [("name", "acpcheck/unread"), ("classname", &*path), ("file", &path)];
        writer.open(2, start("testcase", &attributes))?;
        let reason = printable(&unread.reason);
        writer.empty(3, start("error", &[("message", &reason), ("type", "unread")]))?;
        writer.close(2, "testcase")?;
        writer.close(1, "testsuite")
    }

    fn end(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        Xml(Writer::new(out)).close(0, "testsuites")?;
        writeln!(out)
    }
}

/// Whether a rule applies to a side of the transcript: it is on, binds the side, and its surfaces
/// and editions fit. `index` is that of the rule in the catalogue.
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
            && rule.surfaces.applies_to(version)
            && rule.editions.of(version).contains(file.outcome.edition)
    };
    let versions = version.map_or(vec![Version::V1, Version::V2], |version| vec![version]);
    may_bind && versions.into_iter().any(applies)
}

/// The test case of a rule: the rule, and its counts for the side of the suite.
struct CaseRow {
    rule: &'static Rule,
    /// The index of the rule in the catalogue of rules.
    index: usize,
    counts: Counts,
    tally: Tally,
}

/// The rules that have a test case in the suite of a side: those with findings there or that apply
/// to it, as far as `wanted` includes them.
fn rows(file: &File<'_>, side: usize, wanted: Cases) -> Vec<CaseRow> {
    let row = |(index, rule): (usize, &&'static Rule)| {
        let counts = file.rule_counts.get(side, index);
        let tally = file.outcome.sides.get(index).map_or(Tally::default(), |it| it[side]);
        let is_judged = tally.exercised > 0 || concerns(index, rule, side, file);
        let counts = if is_judged { counts.unwrap_or_default() } else { counts? };
        let row = CaseRow { rule, index, counts, tally };
        (wanted == Cases::All || !row.is_skipped()).then_some(row)
    };
    CATALOGUE.iter().enumerate().filter_map(row).collect()
}

impl CaseRow {
    /// Whether the test case is skipped, because nothing in the transcript met the condition of the
    /// rule.
    fn is_skipped(&self) -> bool {
        self.counts.total() == 0 && self.tally.exercised == 0
    }
}

/// Writes XML elements, each on a line of its own, indented by its depth.
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

    /// Writes an element that has a text of several lines, indented by `depth`. Fails when writing
    /// fails.
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
