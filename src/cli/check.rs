//! `acpcheck check`: judges transcripts and writes what was found.

use std::{
    collections::HashMap,
    io::{self, Write},
    mem,
    ops::ControlFlow::{self, Break, Continue},
    path::{Path, PathBuf},
};

use rustc_hash::FxHashMap;

use super::{
    Completable, Console, Outcome,
    baseline::{Baseline, Inventory, Memory, Seat, Settlement},
    choice,
    config::{Config, Stale, Trouble},
    input::{self, Claim, Input, Missing},
    interrupts::Interrupts,
    judging::Judging,
    output::{self, Outputs, Stopped, Wanted},
    pool,
    progress::Progress,
    reading::{self, Blank, Reading},
    sheet::Sheet,
    watch::{self, Sight},
};
use crate::{
    check::{Check, Settings, Severities},
    diagnostic::Diagnostic,
    report::{Counts, Entry, File, Format, Look, Section, Statistics, Summary, Terms, Unread},
    rule::Severity,
    rules::CATALOGUE,
    source::Locator,
};

/// Check transcripts.
///
/// Reads files, folders and standard input, and reports in the order of the messages what the
/// protocol does not allow.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Arguments {
    /// Files and folders; `-` is standard input.
    ///
    /// In folders, files are read whose names end in .ndjson, .jsonl, .jsons, .traffic or .hydra, and
    /// such as end in .json, .log or .txt if there are messages in them; a number, .gz or .zst may
    /// follow. Hidden ones are passed over.
    #[arg(required_unless_present = "print_config", value_name = "PATHS")]
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
    #[arg(
        long,
        value_name = "FORMAT[=PATH]",
        value_parser = Completable { parse: Wanted::parse, names: output::names },
        hide_possible_values = true,
    )]
    report: Vec<Wanted>,

    #[command(flatten)]
    judging: Judging,

    /// Print what is in force, as an `acpcheck.toml`, and which entries apply to each of the PATHS.
    #[arg(long, help_heading = "Configuration")]
    print_config: bool,

    /// Hold back the findings that this file names.
    ///
    /// They are known by rule, method, place in the message and agent, and counted, so that it does
    /// not matter in which line they are. It outweighs `baseline` in the configuration.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    baseline: Option<PathBuf>,

    /// Write what is found to this file, to be held back from now on.
    ///
    /// Nothing is reported. Reasons that the file has are kept.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["baseline", "report", "stale_baseline"],
        help_heading = "Baseline",
    )]
    write_baseline: Option<PathBuf>,

    /// What to do about entries of the baseline that nothing matches any more [default: warn].
    #[arg(
        long,
        value_name = "ACTION",
        value_parser = choice([
            ("warn", Stale::Warn, "Name them"),
            ("error", Stale::Error, "Name them, and exit with 1"),
            ("ignore", Stale::Ignore, "Nothing, as when only some of the transcripts are given"),
        ]),
        help_heading = "Baseline",
    )]
    stale_baseline: Option<Stale>,

    /// Check again what changes, until Ctrl-C ends it.
    #[arg(long, conflicts_with_all = ["write_baseline", "print_config"])]
    watch: bool,

    /// Write diagnostics only: no summary, no notes, no progress.
    #[arg(long, short)]
    quiet: bool,

    /// Add how often each rule was exercised, broken and reported.
    #[arg(long)]
    statistics: bool,
}

impl Arguments {
    /// What is to be checked, or of that, only these files; or why it cannot be.
    fn inputs(&self, only: Option<&[PathBuf]>) -> Result<Vec<Result<Input, Missing>>, String> {
        let reports = self.report.iter().filter_map(|report| report.path.as_deref());
        let stdin_name = self.judging.stdin_name();
        let mut inputs = input::gather_beside(&self.paths, stdin_name, reports)?;
        if let Some(only) = only {
            let is_meant =
                |input: &Input| input.path().is_some_and(|path| only.iter().any(|it| it == path));
            inputs.retain(|input| input.as_ref().is_ok_and(is_meant));
        }
        Ok(inputs)
    }

    fn baseline_path(&self, config: Option<&Config>) -> Option<PathBuf> {
        self.baseline.clone().or_else(|| config?.baseline())
    }

    fn memory(&self, config: &Config) -> Result<Memory, Trouble> {
        if let Some(path) = &self.write_baseline {
            return Ok(Memory::Inventory(Inventory::open(path)?));
        }
        match self.baseline_path(Some(config)) {
            Some(path) => Ok(Memory::Baseline(Baseline::load(&path)?)),
            None => Ok(Memory::None),
        }
    }
}

/// How files are judged and written: the same for all of them.
#[derive(Debug)]
struct Task {
    config: Config,
    memory: Memory,
    /// What is written, and how it looks to people.
    outputs: Vec<(Format, Look)>,
    /// Indices in the catalogue, where findings are counted by rule.
    indices: Option<FxHashMap<&'static str, usize>>,
    progress: Progress,
}

/// A file that has been judged.
#[derive(Debug)]
struct Judged {
    name: String,
    claim: Claim,
    severities: Severities,
    reading: Reading,
    written: Written,
}

/// What was written about a file.
#[derive(Debug)]
struct Written {
    /// One for each output.
    sheets: Vec<(Section, Sheet)>,
    counts: Counts,
    /// How many findings are held back.
    held_back: u64,
    /// By index in the catalogue; empty when not asked for.
    findings: Vec<u64>,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<Outcome> {
    if arguments.print_config {
        let config = match arguments.judging.load() {
            Ok(config) => config,
            Err(trouble) => return Ok(trouble.tell(console)),
        };
        let inputs = input::gather(&arguments.paths, arguments.judging.stdin_name());
        let names: Vec<_> = inputs.iter().flatten().map(Input::name).collect();
        io::stdout().lock().write_all(config.print(&names).as_bytes())?;
        return Ok(Outcome::Clean);
    }
    let interrupts = Interrupts::heed()?;
    if arguments.watch {
        return Ok(follow(arguments, console, &interrupts));
    }
    let (Continue(outcome) | Break(outcome)) = once(arguments, console, &interrupts, None);
    Ok(outcome)
}

/// Checks what is there, or of that, only these files. Breaks off when nobody reads on.
fn once(
    arguments: &Arguments,
    console: &Console,
    interrupts: &Interrupts,
    only: Option<&[PathBuf]>,
) -> ControlFlow<Outcome, Outcome> {
    let prepare = || {
        let wanted = output::plan(arguments.format, &arguments.report);
        let wanted = wanted.map_err(|why| fail(&why, console))?;
        let inputs = arguments.inputs(only).map_err(|why| fail(&why, console))?;
        let config = arguments.judging.load().map_err(|trouble| trouble.tell(console))?;
        let memory = arguments.memory(&config).map_err(|trouble| trouble.tell(console))?;
        let task = Task::new(arguments, config, memory, &wanted, *console, &inputs);
        let threshold = task.config.threshold();
        let terms = Terms { fail_on: threshold.severity().unwrap_or(Severity::Error) };
        let outputs = Outputs::open(wanted, terms, *console, interrupts);
        Ok((inputs, task, outputs))
    };
    let (inputs, task, outputs) = match prepare() {
        Ok(prepared) => prepared,
        Err(outcome) => return Continue(outcome),
    };
    let mut run = Run::begin(arguments, *console, outputs);
    let work = |number, input: &Result<Input, Missing>| task.judge(number, input);
    let take = |judged| task.progress.aside(|| run.take(judged));
    let written = pool::in_order(arguments.judging.threads(), &inputs, work, take);
    task.progress.finish();
    run.end(written, &task)
}

/// Checks, and checks again what changes, until the user has enough.
fn follow(arguments: &Arguments, console: &Console, interrupts: &Interrupts) -> Outcome {
    if arguments.paths.iter().any(|path| path.as_os_str() == "-") {
        return fail("standard input cannot be watched; name files or folders", console);
    }
    let transcripts = || {
        let inputs = input::gather(&arguments.paths, arguments.judging.stdin_name());
        let paths = inputs.into_iter().flatten();
        paths.filter_map(|input| input.path().map(Path::to_owned)).collect::<Vec<_>>()
    };
    let (mut only, mut seen) = (None, None);
    loop {
        let config = arguments.judging.load().ok();
        let baseline = arguments.baseline_path(config.as_ref());
        let look = || {
            let configured = arguments.judging.options().path().into_iter().chain(baseline.clone());
            Sight::of(transcripts().into_iter().chain(configured))
        };
        let before = seen.take().unwrap_or_else(look);
        if let Break(outcome) = once(arguments, console, interrupts, only.as_deref()) {
            return outcome;
        }
        let announce = || {
            if !arguments.quiet {
                let count = transcripts().len();
                let noun = if count == 1 { "file" } else { "files" };
                console.note(&format!("watching {count} {noun}; Ctrl-C ends"));
            }
        };
        let Some((changed, sight)) = watch::wait(interrupts, &before, announce, look) else {
            return Outcome::Clean;
        };
        seen = Some(sight);
        // Reports and baselines are about all of them, as is what has gone, and the configuration.
        let there = transcripts();
        let concerns_all = baseline.is_some()
            || !arguments.report.is_empty()
            || changed.iter().any(|path| !there.contains(path));
        console.renew();
        if !arguments.quiet {
            let names: Vec<_> = changed.iter().map(|path| path.display().to_string()).collect();
            console.note(&format!("changed: {}", some(&names)));
        }
        only = (!concerns_all).then_some(changed);
    }
}

fn fail(why: &str, console: &Console) -> Outcome {
    console.error(why);
    Outcome::Failed
}

impl Task {
    fn new(
        arguments: &Arguments,
        config: Config,
        memory: Memory,
        wanted: &[Wanted],
        console: Console,
        inputs: &[Result<Input, Missing>],
    ) -> Self {
        let ids = CATALOGUE.iter().enumerate().map(|(index, rule)| (rule.id, index));
        let indices = arguments.statistics.then(|| ids.collect());
        let outputs = wanted.iter().map(|wanted| (wanted.format, wanted.look(console))).collect();
        let progress = if arguments.quiet {
            Progress::hidden()
        } else {
            Progress::new(|| inputs.iter().flatten().map(Input::size).sum())
        };
        Self { config, memory, outputs, indices, progress }
    }

    /// Whether nobody asks how often rules are exercised.
    fn is_untallied(&self) -> bool {
        self.indices.is_none() && !self.outputs.iter().any(|(format, _)| format.needs_tallies())
    }

    /// Judges the input with this number, from 0, and writes what was found. To be called for each input
    /// once: a baseline holds back findings in the order of the inputs.
    fn judge(&self, number: usize, input: &Result<Input, Missing>) -> Result<Judged, Missing> {
        let seat = self.memory.seat(number);
        let input = input.as_ref().map_err(Missing::clone)?;
        let name = input.name();
        let missing = |error| Missing::new(name.clone(), &error);
        let mut transcript = input.open().map_err(missing)?;
        let settings = self.config.settings(&name);
        let settings = Settings { untallied: self.is_untallied(), ..settings };
        let check = Check::new(&settings);
        let reading = reading::judge(&mut transcript, check, &self.progress, || Ok(()));
        let mut reading = reading.map_err(missing)?;
        if let Some(seat) = &seat {
            seat.wait();
        }
        let mut writer = Writer::new(self, seat, &name);
        let mut locator = Locator::new(&mut transcript);
        for diagnostic in mem::take(&mut reading.diagnostics) {
            writer.put(&diagnostic, &mut locator).map_err(missing)?;
        }
        let written = writer.finish(&mut reading);
        let (claim, severities) = (input.claim(), settings.severities);
        Ok(Judged { name, claim, severities, reading, written })
    }
}

/// Writes the diagnostics of one file.
#[derive(Debug)]
struct Writer<'t> {
    task: &'t Task,
    /// Where a baseline holds findings back.
    seat: Option<Seat<'t>>,
    file: &'t str,
    sheets: Vec<(Section, Sheet)>,
    /// Diagnostics so far.
    found: u64,
    /// Those that were written.
    index: u64,
    /// Of those that may stand for others, when some are held back: the number among all, and that
    /// among the written ones.
    renumbered: Vec<(u64, u64)>,
    counts: Counts,
    held_back: u64,
    findings: Vec<u64>,
}

impl<'t> Writer<'t> {
    fn new(task: &'t Task, seat: Option<Seat<'t>>, file: &'t str) -> Self {
        let findings = task.indices.as_ref().map(|indices| vec![0; indices.len()]);
        let outputs = &task.outputs;
        let sheet = |(format, look): &(Format, Look)| {
            (Section::new(*format, *look), Sheet::one_of(outputs.len()))
        };
        Self {
            task,
            seat,
            file,
            sheets: outputs.iter().map(sheet).collect(),
            found: 0,
            index: 0,
            renumbered: Vec::new(),
            counts: Counts::default(),
            held_back: 0,
            findings: findings.unwrap_or_default(),
        }
    }

    /// Writes a diagnostic, unless it is held back.
    fn put(&mut self, diagnostic: &Diagnostic, locator: &mut Locator<'_>) -> io::Result<()> {
        let number = self.found;
        self.found += 1;
        let indices = self.task.indices.as_ref();
        if let Some(index) = indices.and_then(|of| of.get(diagnostic.rule.id)) {
            self.findings[*index] += 1;
        }
        let is_held = match &self.task.memory {
            Memory::None => false,
            Memory::Baseline(_) => self.seat.as_ref().is_some_and(|seat| seat.holds(diagnostic)),
            Memory::Inventory(inventory) => {
                inventory.add(diagnostic);
                true
            }
        };
        if is_held {
            self.held_back += 1;
            return Ok(());
        }
        let may_repeat = diagnostic.finding.key.is_some();
        if may_repeat && self.seat.is_some() {
            self.renumbered.push((number, self.index));
        }
        let entry = Entry { diagnostic, file: self.file, index: self.index };
        for (section, sheet) in &mut self.sheets {
            let before_end = sheet.add(|text| section.add(entry, locator, text))?;
            if may_repeat {
                sheet.leave_gap(self.index, before_end);
            }
        }
        self.index += 1;
        self.counts.add(diagnostic.severity);
        Ok(())
    }

    fn finish(self, reading: &mut Reading) -> Written {
        let Self { sheets, counts, held_back, findings, renumbered, .. } = self;
        if held_back > 0 {
            let written = |number: u64| {
                let place = renumbered.binary_search_by_key(&number, |(number, _)| *number).ok()?;
                Some(renumbered[place].1)
            };
            let repeats = mem::take(&mut reading.outcome.repeats).into_iter();
            let repeats = repeats.filter_map(|(number, more)| Some((written(number)?, more)));
            reading.outcome.repeats = repeats.collect();
        }
        Written { sheets, counts, held_back, findings }
    }
}

/// What has been written so far, and what will be said about it at the end.
struct Run<'a> {
    arguments: &'a Arguments,
    console: Console,
    outputs: Outputs,
    summary: Summary,
    statistics: Statistics,
    /// Files that held no message and were not meant to.
    skipped: Vec<String>,
    /// What is to be said about recordings, each with the files that it is about.
    notes: Vec<(String, Vec<String>)>,
    /// Where a note stands among them.
    noted: HashMap<String, usize>,
}

impl<'a> Run<'a> {
    fn begin(arguments: &'a Arguments, console: Console, outputs: Outputs) -> Self {
        Self {
            arguments,
            console,
            outputs,
            summary: Summary::default(),
            statistics: Statistics::default(),
            skipped: Vec::new(),
            notes: Vec::new(),
            noted: HashMap::new(),
        }
    }

    /// Writes a file's diagnostics, or says that it is not there.
    fn take(&mut self, judged: Result<Judged, Missing>) -> Result<(), Stopped> {
        let Judged { name, claim, severities, reading, written } = match judged {
            Ok(judged) => judged,
            Err(missing) => return self.miss(missing),
        };
        let name = &name;
        let missing = |reason| Missing { name: name.clone(), reason };
        match reading.blank(claim) {
            None => {}
            Some(Blank::Unread(reason)) => return self.miss(missing(reason)),
            Some(Blank::PassedOver) => {
                self.skipped.push(name.clone());
                return Ok(());
            }
        }
        let Reading { outcome, failure, .. } = reading;
        let Written { mut sheets, counts, held_back, findings } = written;

        let file = File {
            path: name,
            format: outcome.format.unwrap_or_default(),
            outcome: &outcome,
            index: self.summary.files,
            counts,
            severities: &severities,
            findings: self.arguments.statistics.then_some(findings.as_slice()),
        };
        self.summary.files += 1;
        self.summary.faulty += u64::from(counts != Counts::default());
        self.summary.messages += outcome.messages;
        self.summary.counts += counts;
        self.summary.held_back += held_back;
        if self.arguments.statistics {
            self.statistics.add(&outcome, &findings);
        }
        self.outputs.file(&file, &mut sheets)?;
        for note in &outcome.notes {
            let place = *self.noted.entry(note.clone()).or_insert(self.notes.len());
            match self.notes.get_mut(place) {
                Some((_, files)) => files.push(name.clone()),
                None => self.notes.push((note.clone(), vec![name.clone()])),
            }
        }
        match failure {
            Some(reason) => self.miss(missing(reason)),
            None => Ok(()),
        }
    }

    /// Says that an input is not judged, or not to its end.
    fn miss(&mut self, missing: Missing) -> Result<(), Stopped> {
        let Missing { name, reason } = missing;
        self.outputs.flush()?;
        self.console.unread(&name, &reason);
        let unread = Unread { path: name, reason };
        self.outputs.unread(&unread)?;
        self.summary.unread.push(unread);
        Ok(())
    }

    /// `written`: whether everything before could be written somewhere.
    fn end(mut self, written: Result<(), Stopped>, task: &Task) -> ControlFlow<Outcome, Outcome> {
        let Arguments { quiet, statistics, .. } = *self.arguments;
        let statistics = statistics.then_some(&self.statistics);
        let is_inventory = matches!(task.memory, Memory::Inventory(_));
        let written = written
            .and_then(|()| self.outputs.end(&self.summary, statistics, quiet || is_inventory));
        if self.outputs.have_failed() {
            return Continue(Outcome::Failed);
        }
        let found = self.found(task);
        if written == Err(Stopped) {
            return Break(found);
        }
        if !quiet {
            for (note, files) in &self.notes {
                self.console.note(&format!("{}: {note}", some(files)));
            }
            self.tell_skipped();
        }
        if found == Outcome::Unreadable {
            if is_inventory {
                self.console
                    .error("the baseline is not written, because it would lack what is in there");
            }
            return Continue(found);
        }
        let is_stale = match &task.memory {
            Memory::None => false,
            Memory::Baseline(baseline) => self.settle(&baseline.settle(), &task.config),
            Memory::Inventory(inventory) => return Continue(self.write_baseline(inventory)),
        };
        Continue(if is_stale { Outcome::Findings } else { found })
    }

    /// What the inputs so far amount to.
    fn found(&self, task: &Task) -> Outcome {
        if !self.summary.unread.is_empty() {
            Outcome::Unreadable
        } else if task.config.threshold().is_reached(self.summary.counts) {
            Outcome::Findings
        } else {
            Outcome::Clean
        }
    }

    fn write_baseline(&self, inventory: &Inventory) -> Outcome {
        match inventory.write() {
            Ok(told) => {
                if !self.arguments.quiet {
                    self.console.note(&told);
                }
                Outcome::Clean
            }
            Err(error) => fail(&format!("cannot write the baseline: {error}"), &self.console),
        }
    }

    /// Says how the baseline fared. Whether that makes the run fail.
    fn settle(&self, settlement: &Settlement, config: &Config) -> bool {
        let action = self.arguments.stale_baseline.or(config.stale_baseline()).unwrap_or_default();
        for stale in &settlement.stale {
            match action {
                Stale::Error => self.console.error(stale),
                Stale::Warn if !self.arguments.quiet => self.console.note(stale),
                Stale::Warn | Stale::Ignore => {}
            }
        }
        if !self.arguments.quiet {
            for exceeded in &settlement.exceeded {
                self.console.note(exceeded);
            }
            if settlement.unexplained > 0 {
                let Settlement { name, unexplained, .. } = settlement;
                self.console.note(&format!("`{name}`: {unexplained} without a reason"));
            }
        }
        action == Stale::Error && !settlement.stale.is_empty()
    }

    fn tell_skipped(&self) {
        if self.summary.files == 0 && self.summary.unread.is_empty() {
            self.console.note("there are no transcripts in the given folders");
        }
        if !self.skipped.is_empty() {
            self.console.note(&format!("skipped, no message in them: {}", some(&self.skipped)));
        }
    }
}

/// A few of the names, and how many more there are.
fn some(names: &[String]) -> String {
    const NAMED: usize = 3;
    let named: Vec<_> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let named = named.join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
