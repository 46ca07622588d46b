//! `acpcheck check`: judges transcripts and writes what was found.
//!
//! A [`CheckTask`] judges and renders each file, on several threads. A [`CheckRun`] takes the files in their
//! order, writes them, and sums up.

use std::{
    collections::HashMap,
    io::{self, Write},
    mem,
    ops::ControlFlow::{self, Break, Continue},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Completable, Console, ExitStatus,
    apart::Places,
    baseline::{Baseline, BaselineMode, BaselineSummary, Recorder, Turn},
    bounded::Unpacking,
    choice,
    config::{Config, ConfigError, Stale},
    folders::LeftOut,
    input::{self, Gathered, Input},
    interrupts::Interrupts,
    open_recording,
    options::CheckOptions,
    output::{self, Outputs, Stopped, Wanted},
    pool,
    progress::Progress,
    reading::{self, NotJudged, Reading},
    rendered::{Rendered, Rendering},
    shown::Shown,
    watch::{self, Change, Changes, FileStates},
};
use crate::{
    check::{self, Check, Exercise, Severities},
    diagnostic::Diagnostic,
    protocol::Side,
    report::{
        Counts, FORMATS, File, Format, Options, RuleCounts, Statistics, Summary, TextStyle, Unread,
    },
    rule::Severity,
    rules::{self, CATALOGUE},
    source::Locator,
};

/// Check transcripts.
///
/// Reads files, folders and standard input, and reports where messages violate rules of the protocol.
/// Findings of one file stand in the order of its messages. For several files, `full` shows the most
/// severe ones first.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Files and folders; `-` is standard input.
    ///
    /// In a folder, acpcheck reads the files whose names end in .ndjson, .jsonl, .jsons, .traffic or
    /// .hydra. It also reads files that end in .json, .log or .txt if they contain messages. A number,
    /// .gz or .zst may follow. Hidden files are skipped.
    #[arg(required_unless_present = "print_config", value_name = "PATHS")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    reporting: Reporting,

    /// Print the settings in force as an `acpcheck.toml`, and which entries apply to each of the
    /// PATHS.
    #[arg(long, help_heading = "Configuration")]
    print_config: bool,

    /// Check again whenever a file changes, until you press Ctrl-C.
    #[arg(long, conflicts_with_all = ["write_baseline", "print_config"])]
    watch: bool,
}

/// The options that decide what is reported of transcripts, and how.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Reporting {
    /// The format of the report on standard output [default: full].
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = choice(FORMATS.iter().map(|format| (format.name, *format, format.about))),
    )]
    format: Option<&'static Format>,

    /// Write another report, to a file or to standard output.
    ///
    /// Repeatable: one run writes all reports. The formats are those of `--format`. A report without a
    /// path, or with the path `-`, goes to standard output instead of the text. Only the lines of
    /// `github` are printed in addition to the text. Missing folders are created. A file appears when it is complete; only
    /// `ndjson` and the texts are written step by step. The file that the variable
    /// `GITHUB_STEP_SUMMARY` names is appended to, any other file is replaced.
    #[arg(
        long,
        value_name = "FORMAT[=PATH]",
        value_parser = Completable { parse: Wanted::parse, names: output::names },
        hide_possible_values = true,
    )]
    report: Vec<Wanted>,

    #[command(flatten)]
    options: CheckOptions,

    /// Hide the known findings that this file (a baseline) lists.
    ///
    /// A finding is known by its fingerprint: rule, method, place in the message, and agent. The line
    /// does not matter. The file has a count for each fingerprint; further findings are reported.
    /// This option wins over `baseline` in the configuration.
    #[arg(long, value_name = "FILE", help_heading = "Baseline")]
    baseline: Option<PathBuf>,

    /// Write all findings to this file, to hide them from now on.
    ///
    /// Nothing is reported. If the file exists, its reasons are kept.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["baseline", "report", "stale_baseline"],
        help_heading = "Baseline",
    )]
    write_baseline: Option<PathBuf>,

    /// What to do about entries of the baseline that no finding matches [default: warn].
    #[arg(
        long,
        value_name = "ACTION",
        value_parser = choice([
            ("warn", Stale::Warn, "Name them"),
            ("error", Stale::Error, "Name them, and exit with 1"),
            ("ignore", Stale::Ignore, "Nothing; useful for a run with only some of the transcripts"),
        ]),
        help_heading = "Baseline",
    )]
    stale_baseline: Option<Stale>,

    /// Show findings of this severity and higher in texts [default: warning in `full`, info in
    /// `concise`].
    ///
    /// With `--fail-on info`, `full` shows infos too. Other formats always have all findings.
    #[arg(
        long,
        value_name = "LEVEL",
        value_parser = choice([
            ("error", Severity::Error, "Errors only"),
            ("warning", Severity::Warning, "Errors and warnings"),
            ("info", Severity::Info, "All findings"),
        ]),
        hide_possible_values = true,
    )]
    min_severity: Option<Severity>,

    /// Show all causes in `full`, not only the first 30.
    #[arg(long)]
    all: bool,

    /// Show all notes about the recordings, not only how many there are.
    #[arg(long, short, conflicts_with = "quiet")]
    verbose: bool,

    /// Write diagnostics only: no summary, no notes, no progress.
    #[arg(long, short, overrides_with = "quiet")]
    quiet: bool,

    /// Add a table: for each rule, the number of its findings, and how often it was violated and
    /// exercised (a message was about it).
    #[arg(long)]
    statistics: bool,
}

impl Arguments {
    fn gather(&self) -> Gathered {
        self.reporting.gather(&self.paths)
    }
}

impl Reporting {
    /// Whether only diagnostics are written.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether the report on standard output is text for people.
    pub(super) fn is_text(&self) -> bool {
        output::plan(self.format, &self.report).is_ok_and(|wanted| {
            wanted.iter().any(|report| report.path.is_none() && report.format.is_text)
        })
    }

    fn gather(&self, paths: &[PathBuf]) -> Gathered {
        input::gather(paths, self.options.stdin_name())
    }

    /// What is read and written apart from transcripts.
    fn places(&self, config: &Config) -> Places {
        let written = self.report.iter().filter_map(|report| report.path.clone());
        let baseline = self.baseline_path(Some(config));
        // A baseline that is written replaces any other.
        let baseline = baseline.filter(|_| self.write_baseline.is_none());
        Places {
            written: written.chain(self.write_baseline.clone()).collect(),
            read: self.options.read(config, baseline.as_deref()),
        }
    }

    /// The changed files, if all are recordings of `acpcheck record`, and what is written can be
    /// continued by what is new in them.
    fn only_recordings(&self, changes: &Changes, has_baseline: bool) -> Option<Vec<PathBuf>> {
        let wanted = output::plan(self.format, &self.report).ok()?;
        let are_texts = wanted.iter().all(|wanted| wanted.path.is_none() && wanted.format.is_text);
        if !are_texts || has_baseline || self.statistics {
            return None;
        }
        let paths = changes.iter().map(|(change, paths)| {
            let are_recordings = *change != Change::Removed
                && paths.iter().all(|path| open_recording::is_recording_at(path));
            are_recordings.then_some(paths)
        });
        let paths: Vec<&Vec<PathBuf>> = paths.collect::<Option<_>>()?;
        Some(paths.into_iter().flatten().cloned().collect())
    }

    fn baseline_path(&self, config: Option<&Config>) -> Option<PathBuf> {
        self.baseline.clone().or_else(|| config?.baseline())
    }

    fn baseline_mode(
        &self,
        config: &Config,
        interrupts: &Interrupts,
    ) -> Result<BaselineMode, ConfigError> {
        if let Some(path) = &self.write_baseline {
            return Ok(BaselineMode::Record(Recorder::open(path, interrupts)?));
        }
        match self.baseline_path(Some(config)) {
            Some(path) => Ok(BaselineMode::HoldBack(Baseline::load(&path)?)),
            None => Ok(BaselineMode::None),
        }
    }
}

/// How each file is judged and rendered.
#[derive(Debug)]
struct CheckTask {
    config: Config,
    unpacking: Unpacking,
    /// The side whose findings are reported; `None` for both.
    side: Option<Side>,
    baseline_mode: BaselineMode,
    /// What is written.
    outputs: Vec<(&'static Format, Options)>,
    /// Whether findings are counted by rule.
    counts_findings: bool,
    /// Whether it is the only input, and there is more than one thread.
    is_alone: bool,
    progress: Progress,
    /// What has been shown of recordings, for `--watch`.
    shown: Option<Arc<Shown>>,
    /// Whether only what has not been shown is reported.
    shows_new: bool,
}

/// A file that has been judged, and rendered if there was something in it.
struct CheckedFile {
    name: String,
    severities: Severities,
    outcome: check::Outcome,
    /// Why it could not be read to its end, as a sentence without a full stop.
    failure: Option<String>,
    not_judged: Option<NotJudged>,
    rule_counts: RuleCounts,
    /// How many findings are held back.
    held_back: u64,
    /// How often each rule was reported, by index in the catalogue; empty unless they are counted.
    findings: Vec<u64>,
    /// One for each output.
    rendered: Vec<Rendered>,
}

impl CheckedFile {
    fn file(&self) -> File<'_> {
        File {
            path: &self.name,
            format: self.outcome.format.unwrap_or_default(),
            outcome: &self.outcome,
            counts: self.rule_counts.total(),
            rule_counts: &self.rule_counts,
            severities: &self.severities,
            findings: (!self.findings.is_empty()).then_some(&*self.findings),
        }
    }
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    if arguments.print_config {
        let config = match arguments.reporting.options.load() {
            Ok(config) => config,
            Err(error) => return Ok(error.report(console)),
        };
        let Gathered { inputs, .. } = arguments.gather();
        let names: Vec<_> = inputs.iter().flatten().map(Input::name).collect();
        io::stdout().lock().write_all(config.print(&names).as_bytes())?;
        return Ok(ExitStatus::Clean);
    }
    let interrupts = Interrupts::catch()?;
    if arguments.watch {
        return Ok(follow(arguments, console, &interrupts));
    }
    let pass = Pass::over(&arguments.paths, &arguments.reporting);
    let (Continue(outcome) | Break(outcome)) = pass.run(console, &interrupts).0;
    Ok(outcome)
}

/// Checks recordings of one side, and reports what that side did. Returns the exit status, and how the
/// side fared by the rules.
pub(super) fn check_side(
    side: Side,
    paths: &[PathBuf],
    reporting: &Reporting,
    console: &Console,
    interrupts: &Interrupts,
) -> (ExitStatus, Exercise) {
    let pass = Pass { side: Some(side), ..Pass::over(paths, reporting) };
    let (Continue(outcome) | Break(outcome), exercise) = pass.run(console, interrupts);
    (outcome, exercise.unwrap_or_else(|| Exercise::of(side)))
}

/// One pass over all inputs.
#[derive(Clone, Copy, Debug)]
struct Pass<'a> {
    paths: &'a [PathBuf],
    reporting: &'a Reporting,
    /// The side whose findings are reported; `None` for both.
    side: Option<Side>,
    /// What was shown of recordings before; `None` without `--watch`.
    shown: Option<&'a Arc<Shown>>,
    /// These alone are checked, and only what was not shown before is reported; `None` for all.
    recordings: Option<&'a [PathBuf]>,
}

impl<'a> Pass<'a> {
    fn over(paths: &'a [PathBuf], reporting: &'a Reporting) -> Self {
        Self { paths, reporting, side: None, shown: None, recordings: None }
    }

    /// Checks the inputs. `Break` when nothing that is written has a reader any more. Returns also what
    /// [`check_side`] does.
    fn run(
        self,
        console: &Console,
        interrupts: &Interrupts,
    ) -> (ControlFlow<ExitStatus, ExitStatus>, Option<Exercise>) {
        let Self { paths, reporting, side, shown, recordings } = self;
        let prepare = || {
            let wanted = output::plan(reporting.format, &reporting.report);
            let wanted = wanted.map_err(|why| fail(&why, console))?;
            let config = reporting.options.load().map_err(|error| error.report(console))?;
            let places = reporting.places(&config);
            places.check().map_err(|why| fail(&why, console))?;
            let mut gathered = match recordings {
                Some(paths) => input::gather(paths, reporting.options.stdin_name()),
                None => reporting.gather(paths),
            };
            places.keep_from(&mut gathered, paths).map_err(|why| fail(&why, console))?;
            let Gathered { mut inputs, left_out } = gathered;
            if shown.is_some() {
                // A folder that is watched may be filled later.
                inputs.retain(|input| !matches!(input, Err(it) if Path::new(&it.path).is_dir()));
            }
            let baseline_mode = reporting
                .baseline_mode(&config, interrupts)
                .map_err(|error| error.report(console))?;
            let options = Options {
                fail_on: config.threshold().severity().unwrap_or(Severity::Error),
                style: TextStyle::PLAIN,
                min_severity: reporting.min_severity,
                shows_all: reporting.all,
                shows_hints: !reporting.quiet,
            };
            let output = |wanted: &Wanted| (wanted.format, wanted.options(options, *console));
            let task = CheckTask {
                config,
                unpacking: reporting.options.unpacking(),
                side,
                baseline_mode,
                outputs: wanted.iter().map(output).collect(),
                counts_findings: reporting.statistics,
                is_alone: inputs.len() == 1 && reporting.options.threads().get() > 1,
                shown: shown.map(Arc::clone),
                shows_new: recordings.is_some(),
                progress: if reporting.quiet {
                    Progress::hidden()
                } else {
                    Progress::new(|| inputs.iter().flatten().map(Input::size).sum())
                },
            };
            let outputs = Outputs::open(wanted, options, *console, interrupts);
            Ok((inputs, left_out, task, outputs))
        };
        let (inputs, left_out, task, outputs) = match prepare() {
            Ok(prepared) => prepared,
            Err(outcome) => return (Continue(outcome), None),
        };
        let mut run = CheckRun::begin(self, *console, left_out, outputs);
        let work = |number, input: &Result<Input, Unread>| task.judge(number, input);
        let take = |judged| task.progress.aside(|| run.take(judged));
        let written = pool::in_order(reporting.options.threads(), &inputs, work, take);
        task.progress.finish();
        let exercise = run.exercise.take();
        (run.end(written, &task), exercise)
    }
}

/// Checks all inputs, and again whenever one of them changes, until the user interrupts it.
fn follow(arguments: &Arguments, console: &Console, interrupts: &Interrupts) -> ExitStatus {
    let Arguments { paths, reporting, .. } = arguments;
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return fail("standard input cannot be watched; name files or folders", console);
    }
    let transcripts = || {
        let inputs = arguments.gather().inputs.into_iter().flatten();
        inputs.filter_map(|input| input.path().map(Path::to_owned)).collect::<Vec<_>>()
    };
    let mut seen: Option<FileStates> = None;
    let shown = Arc::new(Shown::default());
    let mut recordings: Option<Vec<PathBuf>> = None;
    loop {
        let config = reporting.options.load().ok();
        let baseline = reporting.baseline_path(config.as_ref());
        let look = || {
            let configured = reporting.options.config_path().into_iter().chain(baseline.clone());
            let is_open = |path: &Path| shown.is_open(path) && open_recording::is_open_now(path);
            FileStates::of(transcripts().into_iter().chain(configured), is_open)
        };
        let before = seen.take().unwrap_or_else(look);
        let pass = Pass {
            shown: Some(&shown),
            recordings: recordings.as_deref(),
            ..Pass::over(paths, reporting)
        };
        if let Break(outcome) = pass.run(console, interrupts).0 {
            return outcome;
        }
        for (name, ended) in shown.take_ended() {
            if !reporting.quiet {
                console.note(&format!("`{name}`: the connection has ended: {ended}"));
            }
        }
        let announce = || {
            if !reporting.quiet && recordings.is_none() {
                let count = transcripts().len();
                console.note(&match count {
                    0 => "no transcript yet: waiting for one; press Ctrl-C to stop".to_owned(),
                    1 => "watching 1 file; press Ctrl-C to stop".to_owned(),
                    _ => format!("watching {count} files; press Ctrl-C to stop"),
                });
            }
        };
        let Some((changes, snapshot)) = watch::wait(interrupts, &before, announce, look) else {
            return ExitStatus::Clean;
        };
        seen = Some(snapshot);
        recordings = reporting.only_recordings(&changes, baseline.is_some());
        if recordings.is_none() {
            console.clear();
        }
        if !reporting.quiet {
            let is_told = |change: &Change| recordings.is_none() || *change == Change::Added;
            for (change, paths) in changes.into_iter().filter(|(change, _)| is_told(change)) {
                let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                console.note(&format!("{change}: {}", some(&names, NAMED)));
            }
        }
    }
}

/// Says what `acpcheck check .` would check, and with which settings, if the current folder has
/// transcripts.
pub(super) fn say_what_is_here(console: &Console) {
    let names: Vec<_> =
        input::transcripts_here().iter().map(|path| path.display().to_string()).collect();
    if names.is_empty() {
        return;
    }
    let files = if names.len() == 1 {
        "1 transcript".into()
    } else {
        format!("{} transcripts", names.len())
    };
    let settings = match Config::name_here() {
        Some(name) => format!("the settings of `{name}`"),
        None => "the default settings".to_owned(),
    };
    console.note(&format!("this folder has {files}: {}", some(&names, NAMED)));
    console.note(&format!("`acpcheck check .` checks them with {settings}"));
}

fn fail(why: &str, console: &Console) -> ExitStatus {
    console.error(why);
    ExitStatus::Failed
}

/// From this size on, in bytes, a file that is checked alone is read on one thread and checked on another.
const LARGE: u64 = 4 << 20;

impl CheckTask {
    /// Judges the input with this number, from 0, and renders what was found. To be called once for
    /// each input: a baseline holds back findings in the order of the inputs.
    fn judge(&self, number: usize, input: &Result<Input, Unread>) -> Result<CheckedFile, Unread> {
        let turn = self.baseline_mode.turn(number);
        let input = input.as_ref().map_err(Unread::clone)?;
        let name = input.name();
        let unread = |error| input::unread(name.clone(), &error);
        let mut transcript = input.open(self.unpacking).map_err(unread)?;
        let settings = self.config.settings(&name);
        let mut check = Check::new(&settings);
        if self.is_alone && input.size() > LARGE {
            check = check.on_another_thread();
        }
        let reading = reading::judge(&mut transcript, check, &self.progress, || Ok(()));
        let reading = reading.map_err(unread)?;
        let not_judged = reading.not_judged(input.certainty());
        let Reading { outcome, mut diagnostics, failure, is_open } = reading;

        if let Some(side) = self.side {
            diagnostics.retain(|diagnostic| diagnostic.bound == Some(side));
        }
        let findings = if self.counts_findings { by_rule(&diagnostics) } else { Vec::new() };
        let found = diagnostics.len();
        self.hold_back(turn, &mut diagnostics);
        let held_back = (found - diagnostics.len()) as u64;
        if let Some(shown) = &self.shown
            && outcome.format == Some(RECORDED)
        {
            let counts = RuleCounts::of(&diagnostics).total();
            let found =
                if counts == Counts::default() { "no findings".into() } else { counts.to_string() };
            let summary = format!("{found} in {} messages", outcome.messages);
            shown.add(&name, is_open, summary, &mut diagnostics, self.shows_new);
        }
        let mut judged = CheckedFile {
            name: name.clone(),
            severities: settings.severities,
            outcome,
            failure,
            not_judged,
            rule_counts: RuleCounts::of(&diagnostics),
            held_back,
            findings,
            rendered: Vec::new(),
        };
        if judged.not_judged.is_none() {
            let mut locator = Locator::new(&mut transcript);
            let rendered = self.render(&judged.file(), &diagnostics, &mut locator);
            judged.rendered = rendered.map_err(unread)?;
        }
        Ok(judged)
    }

    /// Takes away the diagnostics that are not to be reported.
    fn hold_back(&self, turn: Option<Turn<'_>>, diagnostics: &mut Vec<Diagnostic>) {
        match &self.baseline_mode {
            BaselineMode::None => {}
            BaselineMode::HoldBack(_) => {
                if let Some(turn) = turn {
                    turn.wait();
                    diagnostics.retain(|diagnostic| !turn.holds_back(diagnostic));
                }
            }
            BaselineMode::Record(recorder) => {
                diagnostics.drain(..).for_each(|diagnostic| recorder.add(&diagnostic));
            }
        }
    }

    /// Renders a file for each output.
    fn render(
        &self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
    ) -> io::Result<Vec<Rendered>> {
        let render = |(format, options): &(&Format, Options)| {
            let mut rendering = Rendering::of_one_in(self.outputs.len());
            format.render(file, diagnostics, *options, locator, &mut rendering)?;
            rendering.finish()
        };
        self.outputs.iter().map(render).collect()
    }
}

/// How many of the diagnostics there are of each rule, by index in the catalogue.
fn by_rule(diagnostics: &[Diagnostic]) -> Vec<u64> {
    let mut counts = vec![0; CATALOGUE.len()];
    for (index, _) in diagnostics.iter().filter_map(|diagnostic| rules::find(diagnostic.rule.id)) {
        counts[index] += 1;
    }
    counts
}

/// Writes the checked files of a run in their order, and its summary at the end.
struct CheckRun<'a> {
    paths: &'a [PathBuf],
    reporting: &'a Reporting,
    /// How the side fared whose findings are reported; `None` where those of both are.
    exercise: Option<Exercise>,
    console: Console,
    left_out: LeftOut,
    outputs: Outputs,
    summary: Summary,
    statistics: Statistics,
    /// The names of the files that were judged.
    judged: Vec<String>,
    /// Files that held no message and were not meant to.
    skipped: Vec<String>,
    /// What is to be said about recordings, each with the files that it is about.
    notes: Vec<(String, Vec<String>)>,
    /// Where a note stands among them.
    noted: HashMap<String, usize>,
}

impl<'a> CheckRun<'a> {
    fn begin(
        Pass { paths, reporting, side, .. }: Pass<'a>,
        console: Console,
        left_out: LeftOut,
        outputs: Outputs,
    ) -> Self {
        Self {
            paths,
            reporting,
            exercise: side.map(Exercise::of),
            console,
            left_out,
            outputs,
            summary: Summary::default(),
            statistics: Statistics::default(),
            judged: Vec::new(),
            skipped: Vec::new(),
            notes: Vec::new(),
            noted: HashMap::new(),
        }
    }

    /// Writes a file's diagnostics, or says that it is not there.
    fn take(&mut self, judged: Result<CheckedFile, Unread>) -> Result<(), Stopped> {
        let mut judged = match judged {
            Ok(judged) => judged,
            Err(unread) => return self.unread(unread),
        };
        match judged.not_judged.take() {
            None => {}
            Some(NotJudged::Unread(reason)) => {
                return self.unread(Unread { path: judged.name, reason });
            }
            Some(NotJudged::PassedOver) => {
                self.skipped.push(judged.name);
                return Ok(());
            }
        }
        let rendered = mem::take(&mut judged.rendered);
        let file = judged.file();
        self.summary.files += 1;
        self.summary.faulty += u64::from(file.counts != Counts::default());
        self.summary.messages += judged.outcome.messages;
        self.summary.counts += file.counts;
        self.summary.held_back += judged.held_back;
        if self.reporting.statistics {
            self.statistics.add(&judged.outcome, &judged.findings);
        }
        if let Some(exercise) = &mut self.exercise {
            exercise.add(&judged.outcome, &judged.severities);
        }
        self.outputs.file(&file, rendered)?;
        let CheckedFile { name, outcome, failure, .. } = judged;
        for note in &outcome.notes {
            let place = *self.noted.entry(note.clone()).or_insert(self.notes.len());
            match self.notes.get_mut(place) {
                Some((_, files)) => files.push(name.clone()),
                None => self.notes.push((note.clone(), vec![name.clone()])),
            }
        }
        self.judged.push(name.clone());
        match failure {
            Some(reason) => self.unread(Unread { path: name, reason }),
            None => Ok(()),
        }
    }

    /// Says that an input is not judged, or not to its end.
    fn unread(&mut self, unread: Unread) -> Result<(), Stopped> {
        self.outputs.flush()?;
        self.console.unread(&unread.path, &unread.reason);
        self.outputs.unread(&unread)?;
        self.summary.unread.push(unread);
        Ok(())
    }

    /// Says which folders have no transcript.
    fn report_empty_folders(&mut self) -> Result<(), Stopped> {
        let judged = self.judged.iter().map(|name| &**name);
        let unread = self.summary.unread.len();
        let folders = input::empty_folders(self.paths, &judged, &self.skipped, unread);
        folders.into_iter().try_for_each(|folder| self.unread(folder))
    }

    /// `written`: whether everything before could be written somewhere.
    fn end(
        mut self,
        written: Result<(), Stopped>,
        task: &CheckTask,
    ) -> ControlFlow<ExitStatus, ExitStatus> {
        let Reporting { quiet, statistics, .. } = *self.reporting;
        let is_recording = matches!(task.baseline_mode, BaselineMode::Record(_));
        // A folder that is watched may be filled later.
        let is_watching = task.shown.is_some();
        let written = match written {
            Ok(()) if !is_watching => self.report_empty_folders(),
            written => written,
        };
        let statistics = statistics.then_some(&self.statistics);
        let is_waiting = is_watching && self.judged.is_empty();
        let ends_quietly = quiet || is_recording || task.shows_new || is_waiting;
        let written =
            written.and_then(|()| self.outputs.end(&self.summary, statistics, ends_quietly));
        if self.outputs.have_failed() {
            return Continue(ExitStatus::Failed);
        }
        let found = self.found(task);
        if written == Err(Stopped) {
            return Break(found);
        }
        if !quiet && !task.shows_new {
            self.note_recordings();
            self.note_skipped();
            for name in self.outputs.written() {
                self.console.note(&format!("wrote `{name}`"));
            }
            if let Some(note) = self.left_out.note() {
                self.console.note(&note);
            }
        }
        if found == ExitStatus::Unreadable {
            if is_recording {
                self.console.error(
                    "the baseline is not written: findings of these inputs would be missing",
                );
            }
            return Continue(found);
        }
        let is_stale = match &task.baseline_mode {
            BaselineMode::None => false,
            BaselineMode::HoldBack(baseline) => {
                self.report_baseline(&baseline.summary(), &task.config)
            }
            BaselineMode::Record(recorder) => return Continue(self.write_baseline(recorder)),
        };
        Continue(if is_stale { ExitStatus::Findings } else { found })
    }

    /// The exit status that the inputs so far lead to.
    fn found(&self, task: &CheckTask) -> ExitStatus {
        if !self.summary.unread.is_empty() {
            ExitStatus::Unreadable
        } else if task.config.threshold().is_reached(self.summary.counts) {
            ExitStatus::Findings
        } else {
            ExitStatus::Clean
        }
    }

    fn write_baseline(&self, recorder: &Recorder) -> ExitStatus {
        match recorder.write() {
            Ok(told) => {
                if !self.reporting.quiet {
                    self.console.note(&told);
                }
                ExitStatus::Clean
            }
            Err(error) => fail(&error, &self.console),
        }
    }

    /// Prints how the baseline matched. Returns whether that makes the run fail.
    fn report_baseline(&self, summary: &BaselineSummary, config: &Config) -> bool {
        let action = self.reporting.stale_baseline.or(config.stale_baseline()).unwrap_or_default();
        for stale in &summary.stale {
            match action {
                Stale::Error => self.console.error(stale),
                Stale::Warn if !self.reporting.quiet => self.console.note(stale),
                Stale::Warn | Stale::Ignore => {}
            }
        }
        if !self.reporting.quiet {
            for exceeded in &summary.exceeded {
                self.console.note(exceeded);
            }
            if summary.unexplained > 0 {
                let BaselineSummary { name, unexplained, .. } = summary;
                let entries = if *unexplained == 1 { "entry has" } else { "entries have" };
                self.console.note(&format!("`{name}`: {unexplained} {entries} no reason yet"));
            }
        }
        action == Stale::Error && !summary.stale.is_empty()
    }

    /// Prints the notes about recordings; where there are several, how many, unless the user wants all.
    fn note_recordings(&mut self) {
        let is_open = |(note, _): &(String, Vec<String>)| note == input::STILL_RECORDED;
        for (note, files) in self.notes.extract_if(.., |note| is_open(note)) {
            self.console.note(&format!("{}: {note}", some(&files, NAMED)));
        }
        if self.reporting.verbose || self.notes.len() == 1 {
            let most = if self.reporting.verbose { usize::MAX } else { NAMED };
            for (note, files) in &self.notes {
                self.console.note(&format!("{}: {note}", some(files, most)));
            }
        } else if !self.notes.is_empty() {
            let count = self.notes.len();
            self.console
                .note(&format!("{count} notes about the recordings: `--verbose` shows them"));
        }
    }

    fn note_skipped(&self) {
        if !self.skipped.is_empty() {
            self.console
                .note(&format!("skipped, no messages found: {}", some(&self.skipped, NAMED)));
        }
    }
}

/// The format of `acpcheck record`.
const RECORDED: &str = "acpcheck-record";

/// How many files a note names.
const NAMED: usize = 3;

/// The first names, at most this many, and how many more there are.
fn some(names: &[String], most: usize) -> String {
    let named: Vec<_> = names.iter().take(most).map(|name| format!("`{name}`")).collect();
    let named = named.join(", ");
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
