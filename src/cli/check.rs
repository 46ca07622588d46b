//! `acpcheck check`: judges transcripts and writes what was found.

use std::{
    io,
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use rustc_hash::FxHashMap;

use super::{
    Console, Outcome, choice, formats,
    input::{self, Claim, Input, Missing},
    output::{self, Outputs, Stopped, Wanted},
    parallel,
    progress::Progress,
    selection::{self, Change, Selector},
    sheet::Sheet,
};
use crate::{
    check::{self, Check, Head, Settings, Tail},
    diagnostic::Diagnostic,
    protocol::{Edition, Surface},
    report::{Counts, Entry, File, Format, Look, Section, Statistics, Summary, Terms, Unread},
    rule::Severity,
    rules::CATALOGUE,
    source::Locator,
    transcript,
};

/// Check transcripts.
///
/// Reads files, folders and standard input, and reports in the order of the messages what the
/// protocol does not allow.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files and folders; `-` is standard input.
    ///
    /// In folders, files are read whose names end in .ndjson, .jsonl, .jsons, .traffic or .hydra, and
    /// such as end in .json, .log or .txt if there are messages in them; a number, .gz or .zst may
    /// follow. Hidden ones are passed over.
    #[arg(required = true, value_name = "PATHS")]
    paths: Vec<PathBuf>,

    /// How to write what is found, on standard output [default: full].
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = choice(Format::ALL.map(|format| (format.name(), format, format.about()))),
    )]
    format: Option<Format>,

    /// Write another report, to a file or to standard output.
    ///
    /// Repeatable: one run writes all of them, in the formats of `--format`. Without a path, or with
    /// `-`, a report goes to standard output in place of the text; the lines of `github` go behind
    /// the text. Folders are made where they are missing. Files appear when they are complete, but
    /// for `ndjson` and the texts, which are written as it goes.
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = Wanted::parse)]
    report: Vec<Wanted>,

    /// Report only these rules or families, also those that are off by default.
    ///
    /// Repeatable; several may be given with commas between them. `all` selects every rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = Selector::parse,
        help_heading = "Rules",
    )]
    select: Vec<Selector>,

    /// Do not report these rules or families.
    ///
    /// A rule outweighs a family: `--ignore plan --select plan/duplicate-id` reports the rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = Selector::parse,
        help_heading = "Rules",
    )]
    ignore: Vec<Selector>,

    /// Report a rule or family as off, info, warning or error.
    ///
    /// Repeatable. It also switches on rules that are off by default.
    #[arg(
        long,
        value_name = "RULE=LEVEL",
        value_delimiter = ',',
        value_parser = Change::parse,
        help_heading = "Rules",
    )]
    severity: Vec<Change>,

    /// The least severity that makes the exit status 1.
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "error",
        value_parser = choice([
            ("error", Threshold::At(Severity::Error), ""),
            ("warning", Threshold::At(Severity::Warning), ""),
            ("info", Threshold::At(Severity::Info), ""),
            ("never", Threshold::Never, ""),
        ]),
    )]
    fail_on: Threshold,

    /// Write diagnostics only: no summary, no notes, no progress.
    #[arg(long, short)]
    quiet: bool,

    /// Add how often each rule was exercised, broken and reported.
    #[arg(long)]
    statistics: bool,

    /// The part of the protocol to judge by.
    #[arg(
        long,
        value_name = "SURFACE",
        default_value = "auto",
        value_parser = choice([
            (
                "auto",
                Auto::Auto,
                "The negotiated version; drafts are judged by their schema and named once",
            ),
            ("v1", Auto::Fixed(Surface::V1), "Version 1"),
            ("v1-unstable", Auto::Fixed(Surface::V1Unstable), "Version 1 with its drafts"),
            ("v2", Auto::Fixed(Surface::V2), "Version 2"),
            ("v2-unstable", Auto::Fixed(Surface::V2Unstable), "Version 2 with its drafts"),
        ]),
        help_heading = "Protocol",
    )]
    surface: Auto<Surface>,

    /// The state of the protocol's drafts to judge by.
    #[arg(
        long,
        value_name = "EDITION",
        default_value = "auto",
        value_parser = choice([
            ("auto", Auto::Auto, "The last, with older spellings of plans accepted and named once"),
            ("2026-05", Auto::Fixed(Edition::May2026), "Capability `planCapabilities`, plan `id`"),
            ("2026-06", Auto::Fixed(Edition::June2026), "Capability `plan`, plan `id`"),
            ("2026-08", Auto::Fixed(Edition::August2026), "Plan `planId`"),
            ("2026-09", Auto::Fixed(Edition::September2026), "As the official test suite has it"),
            ("2026-11", Auto::Fixed(Edition::November2026), "As the schemas in this program"),
            ("current", Auto::Fixed(Edition::CURRENT), "The last, strictly"),
        ]),
        help_heading = "Protocol",
    )]
    edition: Auto<Edition>,

    /// The format of the transcripts; `acpcheck formats` lists them.
    ///
    /// Without it, each transcript's beginning tells.
    #[arg(long, value_name = "NAME", value_parser = formats::parse)]
    input_format: Option<&'static transcript::Format>,

    /// Whether transcripts begin where their connection begins.
    #[arg(
        long,
        value_name = "STATE",
        default_value = "auto",
        value_parser = choice([
            ("auto", Head::Auto, "As the first message tells"),
            ("complete", Head::Complete, "They do"),
            ("truncated", Head::Truncated, "They may begin later"),
        ]),
        help_heading = "Protocol",
    )]
    head: Head,

    /// Whether transcripts end where their connection ends.
    #[arg(
        long,
        value_name = "STATE",
        default_value = "auto",
        value_parser = choice([
            ("auto", Tail::Auto, "As the last messages tell"),
            ("open", Tail::Open, "They may end earlier"),
            ("closed", Tail::Closed, "They do: what is unanswered stays so"),
        ]),
        help_heading = "Protocol",
    )]
    tail: Tail,

    /// What to call standard input in diagnostics.
    #[arg(long, value_name = "NAME", default_value = "<stdin>")]
    stdin_filename: String,

    /// How many transcripts to judge at the same time.
    ///
    /// As many as there are processors, if not given. What is reported, and in which order, does
    /// not depend on it.
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

impl Arguments {
    fn threads(&self) -> NonZero<usize> {
        let available = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        self.jobs.unwrap_or_else(available)
    }
}

/// A choice that may be left to the program.
#[derive(Clone, Copy, Debug)]
enum Auto<T> {
    Auto,
    Fixed(T),
}

impl<T> Auto<T> {
    fn fixed(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Fixed(value) => Some(value),
        }
    }
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug)]
enum Threshold {
    At(Severity),
    Never,
}

impl Threshold {
    fn severity(self) -> Option<Severity> {
        match self {
            Self::At(severity) => Some(severity),
            Self::Never => None,
        }
    }

    fn is_reached(self, counts: Counts) -> bool {
        self.severity().is_some_and(|severity| counts.reach(severity))
    }
}

/// How files are judged and written: the same for all of them.
#[derive(Debug)]
struct Task {
    settings: Settings,
    /// What is written, and how it looks to people.
    outputs: Vec<(Format, Look)>,
    /// Indices in the catalogue, where findings are counted by rule.
    indices: Option<FxHashMap<&'static str, usize>>,
}

/// A file that has been judged.
#[derive(Debug)]
struct Judged {
    outcome: check::Outcome,
    /// One for each output.
    sheets: Vec<(Section, Sheet)>,
    counts: Counts,
    /// By index in the catalogue; empty when not asked for.
    findings: Vec<u64>,
    /// Why it could not be read to its end.
    failure: Option<String>,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<Outcome> {
    let wanted = match output::plan(arguments.format, &arguments.report) {
        Ok(wanted) => wanted,
        Err(why) => return Ok(fail(&why, console)),
    };
    let inputs = match inputs(arguments) {
        Ok(inputs) => inputs,
        Err(why) => return Ok(fail(&why, console)),
    };
    let task = Task::new(arguments, &wanted, *console);
    let progress = if arguments.quiet {
        Progress::hidden()
    } else {
        Progress::new(inputs.iter().flatten().map(Input::size).sum())
    };

    let terms = Terms {
        severities: &task.settings.severities,
        fail_on: arguments.fail_on.severity().unwrap_or(Severity::Error),
    };
    let mut run = Run::begin(arguments, *console, Outputs::open(wanted, terms, *console));
    let judge = |input: &Result<Input, Missing>| match input {
        Ok(input) => task
            .judge(input, &progress)
            .map_err(|error| Missing { name: input.name(), reason: error.to_string() }),
        Err(missing) => Err(missing.clone()),
    };
    let written = parallel::in_order(&inputs, arguments.threads(), judge, |input, judged| {
        progress.aside(|| match (input, judged) {
            (Ok(input), Ok(judged)) => run.take(input, judged),
            (_, Ok(_)) => Ok(()),
            (_, Err(missing)) => run.miss(missing),
        })
    });
    progress.finish();
    Ok(run.end(written))
}

fn fail(why: &str, console: &Console) -> Outcome {
    console.error(why);
    Outcome::Failed
}

/// What is to be judged. Reports of earlier runs that stand among the transcripts are not, if they
/// are written anew.
fn inputs(arguments: &Arguments) -> Result<Vec<Result<Input, Missing>>, String> {
    let mut inputs = input::gather(&arguments.paths, &arguments.stdin_filename);
    let reports = arguments.report.iter().filter_map(|report| report.path.as_ref());
    let reports: Vec<_> = reports.filter_map(|path| path.canonicalize().ok()).collect();
    if reports.is_empty() {
        return Ok(inputs);
    }
    let is_report = |path: &Path| path.canonicalize().is_ok_and(|path| reports.contains(&path));
    if let Some(path) = arguments.paths.iter().find(|path| path.is_file() && is_report(path)) {
        return Err(format!("`{}` is to be both read and written", path.display()));
    }
    inputs.retain(|input| match input {
        Ok(input) => !input.path().is_some_and(is_report),
        Err(_) => true,
    });
    Ok(inputs)
}

impl Task {
    fn new(arguments: &Arguments, wanted: &[Wanted], console: Console) -> Self {
        let Arguments { select, ignore, severity, .. } = arguments;
        let settings = Settings {
            surface: arguments.surface.fixed(),
            edition: arguments.edition.fixed(),
            format: arguments.input_format,
            head: arguments.head,
            tail: arguments.tail,
            severities: selection::severities(select, ignore, severity),
        };
        let ids = CATALOGUE.iter().enumerate().map(|(index, rule)| (rule.id, index));
        let indices = arguments.statistics.then(|| ids.collect());
        let outputs = wanted.iter().map(|wanted| (wanted.format, wanted.look(console))).collect();
        Self { settings, outputs, indices }
    }

    /// Judges one input. It needs nothing of the others.
    fn judge(&self, input: &Input, progress: &Progress) -> io::Result<Judged> {
        const BLOCK: usize = 512 * 1024;

        let mut transcript = input.open()?;
        let mut writer = Writer::new(self, input.name());
        let mut check = Check::new(&self.settings);
        let size = usize::try_from(input.size()).unwrap_or(BLOCK);
        let mut block = vec![0; if size == 0 { BLOCK } else { BLOCK.min(size + 1) }];
        loop {
            let count = match transcript.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            check.feed(&block[..count]);
            writer.write(check.drain(), &mut Locator::new(&mut transcript))?;
            progress.advance(count);
        }
        let failure = transcript.failure();
        if failure.is_some() {
            check.cut();
        }
        let mut last = Vec::new();
        let mut outcome = check.finish(&mut last);
        outcome.notes.extend(transcript.note());
        writer.write(last.into_iter(), &mut Locator::new(&mut transcript))?;
        Ok(writer.finish(outcome, failure))
    }
}

/// Writes the diagnostics of one file.
#[derive(Debug)]
struct Writer<'t> {
    task: &'t Task,
    file: String,
    sheets: Vec<(Section, Sheet)>,
    text: Vec<u8>,
    index: u64,
    counts: Counts,
    findings: Vec<u64>,
}

impl<'t> Writer<'t> {
    fn new(task: &'t Task, file: String) -> Self {
        let findings = task.indices.as_ref().map(|indices| vec![0; indices.len()]);
        let outputs = &task.outputs;
        let sheet = |(format, look): &(Format, Look)| {
            (Section::new(*format, *look), Sheet::one_of(outputs.len()))
        };
        Self {
            task,
            file,
            sheets: outputs.iter().map(sheet).collect(),
            text: Vec::new(),
            index: 0,
            counts: Counts::default(),
            findings: findings.unwrap_or_default(),
        }
    }

    fn write(
        &mut self,
        diagnostics: impl Iterator<Item = Diagnostic>,
        locator: &mut Locator<'_>,
    ) -> io::Result<()> {
        let indices = self.task.indices.as_ref();
        for diagnostic in diagnostics {
            let entry = Entry { diagnostic: &diagnostic, file: &self.file, index: self.index };
            for (section, sheet) in &mut self.sheets {
                self.text.clear();
                let before_end = section.add(entry, locator, &mut self.text)?;
                sheet.push(&self.text)?;
                if diagnostic.finding.key.is_some() {
                    sheet.leave_gap(self.index, before_end);
                }
            }
            self.index += 1;
            self.counts.add(diagnostic.severity);
            if let Some(index) = indices.and_then(|of| of.get(diagnostic.rule.id)) {
                self.findings[*index] += 1;
            }
        }
        Ok(())
    }

    fn finish(self, outcome: check::Outcome, failure: Option<String>) -> Judged {
        let Self { sheets, counts, findings, .. } = self;
        Judged { outcome, sheets, counts, findings, failure }
    }
}

/// What has been written so far, and what will be said about it at the end.
struct Run<'a> {
    arguments: &'a Arguments,
    console: Console,
    outputs: Outputs<'a>,
    summary: Summary,
    statistics: Statistics,
    /// Files that held no message and were not meant to.
    skipped: Vec<String>,
}

impl<'a> Run<'a> {
    fn begin(arguments: &'a Arguments, console: Console, outputs: Outputs<'a>) -> Self {
        Self {
            arguments,
            console,
            outputs,
            summary: Summary::default(),
            statistics: Statistics::default(),
            skipped: Vec::new(),
        }
    }

    /// Writes a file's diagnostics.
    fn take(&mut self, input: &Input, judged: Judged) -> Result<(), Stopped> {
        let Judged { outcome, sheets, counts, findings, failure } = judged;
        let name = input.name();
        let Some(format) = outcome.format else {
            return match input.claim() {
                _ if failure.is_some() || outcome.refusal.is_some() => {
                    let reason = failure.or(outcome.refusal).unwrap_or_default();
                    self.miss(Missing { name, reason })
                }
                Claim::Sure => self.miss(Missing {
                    name,
                    reason: "no transcript: there is no JSON-RPC message in it".to_owned(),
                }),
                Claim::Perhaps => {
                    self.skipped.push(name);
                    Ok(())
                }
            };
        };

        let file = File {
            path: &name,
            format,
            outcome: &outcome,
            index: self.summary.files,
            counts,
            findings: self.arguments.statistics.then_some(findings.as_slice()),
        };
        self.summary.files += 1;
        self.summary.faulty += u64::from(counts != Counts::default());
        self.summary.messages += outcome.messages;
        self.summary.counts += counts;
        if self.arguments.statistics {
            self.statistics.add(&outcome, &findings);
        }
        self.outputs.file(&file, sheets)?;
        if !self.arguments.quiet && !outcome.notes.is_empty() {
            self.outputs.flush()?;
            for note in &outcome.notes {
                self.console.note(&format!("`{name}`: {note}"));
            }
        }
        match failure {
            Some(reason) => self.miss(Missing { name, reason }),
            None => Ok(()),
        }
    }

    /// Says that an input is not judged, or not to its end.
    fn miss(&mut self, missing: Missing) -> Result<(), Stopped> {
        let Missing { name, reason } = missing;
        self.outputs.flush()?;
        self.console.error(&format!("`{name}`: {reason}"));
        let unread = Unread { path: name, reason };
        self.outputs.unread(&unread)?;
        self.summary.unread.push(unread);
        Ok(())
    }

    /// `written`: whether everything before could be written somewhere.
    fn end(mut self, written: Result<(), Stopped>) -> Outcome {
        let Arguments { quiet, statistics, fail_on, .. } = *self.arguments;
        let statistics = statistics.then_some(&self.statistics);
        let written = written.and_then(|()| self.outputs.end(&self.summary, statistics, quiet));
        if self.outputs.have_failed() {
            return Outcome::Failed;
        }
        if written.is_err() {
            // Whoever read the output has seen enough.
            return Outcome::Clean;
        }
        if !quiet {
            self.tell_skipped();
        }
        if !self.summary.unread.is_empty() {
            Outcome::Unreadable
        } else if fail_on.is_reached(self.summary.counts) {
            Outcome::Findings
        } else {
            Outcome::Clean
        }
    }

    fn tell_skipped(&self) {
        const NAMED: usize = 3;
        let names: Vec<_> =
            self.skipped.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        if self.summary.files == 0 && self.summary.unread.is_empty() {
            self.console.note("there are no transcripts in the given folders");
        }
        match self.skipped.len() {
            0 => {}
            1..=NAMED => self.console.note(&format!("skipped, no message in them: {names}")),
            many => {
                let more = many - NAMED;
                self.console.note(&format!("skipped, no message in them: {names} and {more} more"));
            }
        }
    }
}
