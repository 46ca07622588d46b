//! `acpcheck check`: judges transcripts and writes what was found.

use std::{
    io::{self, Write},
    num::NonZero,
    path::PathBuf,
    thread,
};

use rustc_hash::FxHashMap;

use super::{
    Console, Outcome, choice,
    config::{Config, Options, Threshold},
    input::{self, Claim, Input, Missing},
    parallel,
    progress::Progress,
    sheet::Sheet,
};
use crate::{
    check::{self, Check},
    diagnostic::Diagnostic,
    report::{Counts, Entry, File, Format, Look, Statistics, Summary},
    rules::CATALOGUE,
    source::Locator,
};

/// Check transcripts.
///
/// Reads files, folders and standard input, and reports in the order of the messages what the
/// protocol does not allow.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files and folders; `-` is standard input.
    ///
    /// In folders, files are read whose names end in .ndjson, .jsonl, .jsons or .traffic, and such
    /// as end in .json, .log or .txt if there are messages in them. Hidden ones are passed over.
    #[arg(required_unless_present = "print_config", value_name = "PATHS")]
    paths: Vec<PathBuf>,

    /// How to write what is found.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "full",
        value_parser = choice([
            ("full", Format::Full, "With the text around each place"),
            ("concise", Format::Concise, "One line each: path:line:column: severity[rule] message"),
            ("json", Format::Json, "One document, described by schema/report.schema.json"),
        ]),
    )]
    format: Format,

    #[command(flatten)]
    options: Options,

    /// Print what is in force, as an `acpcheck.toml`, and which entries apply to each of the PATHS.
    #[arg(long, help_heading = "Configuration")]
    print_config: bool,

    /// Write diagnostics only: no summary, no notes, no progress.
    #[arg(long, short)]
    quiet: bool,

    /// Add how often each rule was exercised, broken and reported.
    #[arg(long)]
    statistics: bool,

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

/// How files are judged and written: the same for all of them.
#[derive(Debug)]
struct Task {
    config: Config,
    format: Format,
    look: Look,
    /// Indices in the catalogue, where findings are counted by rule.
    indices: Option<FxHashMap<&'static str, usize>>,
}

/// A file that has been judged.
#[derive(Debug)]
struct Judged {
    outcome: check::Outcome,
    sheet: Sheet,
    counts: Counts,
    /// By index in the catalogue; empty when not asked for.
    findings: Vec<u64>,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<Outcome> {
    let config = match arguments.options.load() {
        Ok(config) => config,
        Err(trouble) => {
            trouble.tell(console);
            return Ok(Outcome::Failed);
        }
    };
    let inputs = input::gather(&arguments.paths, &arguments.stdin_filename);
    if arguments.print_config {
        let names: Vec<_> = inputs.iter().flatten().map(Input::name).collect();
        io::stdout().lock().write_all(config.print(&names).as_bytes())?;
        return Ok(Outcome::Clean);
    }
    let task = Task::new(arguments, config, console);
    let progress = if arguments.quiet {
        Progress::hidden()
    } else {
        Progress::new(inputs.iter().flatten().map(Input::size).sum())
    };

    let threshold = task.config.threshold();
    let mut run = Run::begin(arguments, *console, io::BufWriter::new(io::stdout().lock()))?;
    let judge = |input: &Result<Input, Missing>| match input {
        Ok(input) => task
            .judge(input, &progress)
            .map_err(|error| Missing { name: input.name(), reason: error.to_string() }),
        Err(missing) => Err(missing.clone()),
    };
    parallel::in_order(&inputs, arguments.threads(), judge, |input, judged| {
        progress.aside(|| match (input, judged) {
            (Ok(input), Ok(judged)) => run.take(input, judged),
            (_, Ok(_)) => Ok(()),
            (_, Err(missing)) => run.miss(missing),
        })
    })?;
    progress.finish();
    run.end(threshold)
}

impl Task {
    fn new(arguments: &Arguments, config: Config, console: &Console) -> Self {
        let ids = CATALOGUE.iter().enumerate().map(|(index, rule)| (rule.id, index));
        let indices = arguments.statistics.then(|| ids.collect());
        Self { config, format: arguments.format, look: console.out, indices }
    }

    /// Judges one input. It needs nothing of the others.
    fn judge(&self, input: &Input, progress: &Progress) -> io::Result<Judged> {
        const BLOCK: usize = 512 * 1024;

        let mut transcript = input.open()?;
        let mut writer = Writer::new(self, input.name());
        let mut check = Check::new(&self.config.settings(&input.name()));
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
        let mut last = Vec::new();
        let outcome = check.finish(&mut last);
        writer.write(last.into_iter(), &mut Locator::new(&mut transcript))?;
        Ok(writer.finish(outcome))
    }
}

/// Writes the diagnostics of one file.
#[derive(Debug)]
struct Writer<'t> {
    task: &'t Task,
    file: String,
    sheet: Sheet,
    text: Vec<u8>,
    index: u64,
    counts: Counts,
    findings: Vec<u64>,
}

impl<'t> Writer<'t> {
    fn new(task: &'t Task, file: String) -> Self {
        let findings = task.indices.as_ref().map(|indices| vec![0; indices.len()]);
        Self {
            task,
            file,
            sheet: Sheet::default(),
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
        let Task { format, look, indices, .. } = self.task;
        for diagnostic in diagnostics {
            let entry = Entry { diagnostic: &diagnostic, file: &self.file, index: self.index };
            self.text.clear();
            let before_end = format.diagnostic(entry, *look, locator, &mut self.text)?;
            self.sheet.push(&self.text)?;
            if diagnostic.finding.key.is_some() {
                self.sheet.leave_gap(self.index, before_end);
            }
            self.index += 1;
            self.counts.add(diagnostic.severity);
            if let Some(index) = indices.as_ref().and_then(|of| of.get(diagnostic.rule.id)) {
                self.findings[*index] += 1;
            }
        }
        Ok(())
    }

    fn finish(self, outcome: check::Outcome) -> Judged {
        Judged { outcome, sheet: self.sheet, counts: self.counts, findings: self.findings }
    }
}

/// What has been written so far, and what will be said about it at the end.
struct Run<'a, W> {
    arguments: &'a Arguments,
    console: Console,
    out: W,
    summary: Summary,
    statistics: Statistics,
    /// Files that held no message and were not meant to.
    skipped: Vec<String>,
}

impl<'a, W: Write> Run<'a, W> {
    fn begin(arguments: &'a Arguments, console: Console, mut out: W) -> io::Result<Self> {
        arguments.format.begin(&mut out)?;
        Ok(Self {
            arguments,
            console,
            out,
            summary: Summary::default(),
            statistics: Statistics::default(),
            skipped: Vec::new(),
        })
    }

    /// Writes a file's diagnostics.
    fn take(&mut self, input: &Input, judged: Judged) -> io::Result<()> {
        let Judged { outcome, sheet, counts, findings } = judged;
        let name = input.name();
        let Some(format) = outcome.format else {
            return match input.claim() {
                _ if outcome.refusal.is_some() => {
                    self.miss(Missing { name, reason: outcome.refusal.unwrap_or_default() })
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
            findings: self.arguments.statistics.then_some(findings.as_slice()),
        };
        let written = self.arguments.format;
        written.begin_file(&file, &mut self.out)?;
        sheet.write(written, &outcome.repeats, &mut self.out)?;
        written.end_file(&file, &mut self.out)?;

        self.summary.files += 1;
        self.summary.faulty += u64::from(counts != Counts::default());
        self.summary.messages += outcome.messages;
        self.summary.counts += counts;
        if self.arguments.statistics {
            self.statistics.add(&outcome, &findings);
        }
        if !self.arguments.quiet && !outcome.notes.is_empty() {
            self.out.flush()?;
            for note in &outcome.notes {
                self.console.note(&format!("`{name}`: {note}"));
            }
        }
        Ok(())
    }

    /// Says that an input is not judged.
    fn miss(&mut self, missing: Missing) -> io::Result<()> {
        let Missing { name, reason } = missing;
        self.out.flush()?;
        self.console.error(&format!("`{name}`: {reason}"));
        self.summary.unread.push((name, reason));
        Ok(())
    }

    fn end(mut self, threshold: Threshold) -> io::Result<Outcome> {
        let Arguments { format, quiet, statistics, .. } = *self.arguments;
        format.end(&self.summary, &mut self.out)?;
        if format.is_text() {
            if statistics {
                writeln!(self.out, "{}", self.statistics.table(self.console.out))?;
            }
            if !quiet && self.summary.files > 0 {
                writeln!(self.out, "{}", self.summary)?;
            }
        }
        self.out.flush()?;
        if !quiet {
            self.tell_skipped();
        }
        Ok(if !self.summary.unread.is_empty() {
            Outcome::Unreadable
        } else if threshold.is_reached(self.summary.counts) {
            Outcome::Findings
        } else {
            Outcome::Clean
        })
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
