//! `acpcheck check`: judges transcripts and writes what was found.
//!
//! Files are [judged](task::judge) on several threads. A [`CheckRun`] takes them in their order, writes
//! them, and sums up.

use std::{
    io::{self, Write},
    ops::ControlFlow::{self, Break, Continue},
    path::{Path, PathBuf},
};

use super::{
    Completable, Console, ExitStatus,
    baseline::{Baseline, BaselineMode, BaselineWriter},
    bounded::Unpacking,
    choice,
    config::{Config, ConfigError, Stale},
    folders,
    input::{self, Gathered, Input},
    interrupts::Interrupts,
    options::CheckOptions,
    output::{self, Outputs, Wanted},
    overwrite_guard::GuardedFiles,
    shown::Shown,
    stories::Stories,
    workload::Workload,
};
use crate::{
    check::Exercise,
    protocol::Side,
    report::{FORMATS, Options, OutputFormat, TextStyle},
    rule::Severity,
};

mod follow;
mod notes;
mod run;
mod task;

use follow::follow;
pub(super) use notes::hint_at_transcripts;
use run::CheckRun;

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
    format: Option<&'static OutputFormat>,

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
            ("ignore", Stale::Ignore, "Say nothing (for runs over a part)"),
        ]),
        help_heading = "Baseline",
    )]
    stale_baseline: Option<Stale>,

    /// Link each rule to its place on this page, in SARIF and in HTML.
    ///
    /// `acpcheck rules --format html` writes the page; the address is where you publish it. Without this
    /// option, the links lead to the pages of the protocol.
    #[arg(long, value_name = "URL", value_parser = address)]
    rules_url: Option<&'static str>,

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

    /// Show all notes about the recordings, not only how many there are, and as which format each
    /// was read.
    #[arg(long, short, conflicts_with = "quiet", overrides_with = "verbose")]
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
        input::gather(&self.paths, self.reporting.options.stdin_name())
    }
}

impl Reporting {
    /// Reads the configuration file, and applies the options of the command line to it. Fails when
    /// a file cannot be read or has an error.
    pub(super) fn load(&self) -> Result<Config, ConfigError> {
        self.options.load()
    }

    /// How many bytes compressed transcripts may unpack to (`--max-unpacked`).
    #[cfg(unix)]
    pub(super) fn unpacking(&self) -> Unpacking {
        self.options.unpacking()
    }

    /// Whether the user wants diagnostics only: no summary, no notes, no progress.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The first given option that asks for a report or a baseline; `None` without one.
    pub(super) fn of_reports(&self) -> Option<&'static str> {
        let options = [
            ("--format", self.format.is_some()),
            ("--report", !self.report.is_empty()),
            ("--baseline", self.baseline.is_some()),
            ("--write-baseline", self.write_baseline.is_some()),
        ];
        options.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// Whether standard output gets a report in plain text, for people.
    pub(super) fn is_text(&self) -> bool {
        self.wanted().is_ok_and(|wanted| {
            wanted.iter().any(|report| report.path.is_none() && report.format.is_text)
        })
    }

    /// The reports to write, in the order of writing. An error is a sentence without a full stop
    /// about options that contradict each other.
    fn wanted(&self) -> Result<Vec<Wanted>, String> {
        output::plan(self.format, &self.report)
    }

    /// The files besides transcripts that the run reads and writes, so that none is overwritten by
    /// mistake.
    fn places(&self, config: &Config) -> GuardedFiles {
        let written = self.report.iter().filter_map(|report| report.path.clone());
        let baseline = self.baseline_path(Some(config));
        // A baseline that is written replaces any other.
        let baseline = baseline.filter(|_| self.write_baseline.is_none());
        GuardedFiles {
            written: written.chain(self.write_baseline.clone()).collect(),
            read: self.options.read(config, baseline.as_deref()),
        }
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
            return Ok(BaselineMode::Record(BaselineWriter::open(path, interrupts)?));
        }
        match self.baseline_path(Some(config)) {
            Some(path) => Ok(BaselineMode::HoldBack(Baseline::load(&path)?)),
            None => Ok(BaselineMode::None),
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

/// Checks recordings for `drive` and `play`, and reports what one side did wrong. Returns the exit
/// status, and which rules the side exercised and upheld.
pub(super) fn check_side(
    side: Side,
    paths: &[PathBuf],
    reporting: &Reporting,
    console: &Console,
    interrupts: &Interrupts,
) -> (ExitStatus, Exercise) {
    let pass = Pass { side: Some(side), ..Pass::over(paths, reporting) };
    let (Continue(outcome) | Break(outcome), exercise) = pass.run(console, interrupts);
    (outcome, exercise.unwrap_or_else(|| Exercise::of(Some(side))))
}

/// One pass over all inputs; `--watch` makes one after each change of a file.
#[derive(Clone, Copy, Debug)]
struct Pass<'a> {
    paths: &'a [PathBuf],
    reporting: &'a Reporting,
    /// The side whose findings are reported; `None` for both sides.
    side: Option<Side>,
    /// The findings shown in earlier passes, so that only new ones are shown; `None` without
    /// `--watch`.
    shown: Option<&'a Shown>,
    /// With `Some`, only these recordings, and those that share sessions with them, are checked,
    /// and only findings that were not shown before are reported. `None` checks all inputs.
    recordings: Option<&'a [PathBuf]>,
}

impl<'a> Pass<'a> {
    fn over(paths: &'a [PathBuf], reporting: &'a Reporting) -> Self {
        Self { paths, reporting, side: None, shown: None, recordings: None }
    }

    /// Checks the inputs and writes the reports. `Break` has the exit status when no output has a
    /// reader any more. The [`Exercise`] counts the rules about `side`; `None` without a side.
    fn run(
        self,
        console: &Console,
        interrupts: &Interrupts,
    ) -> (ControlFlow<ExitStatus, ExitStatus>, Option<Exercise>) {
        let Self { paths, reporting, shown, recordings, .. } = self;
        let prepare = || {
            let wanted = reporting.wanted().map_err(|why| fail(&why, console))?;
            let config = reporting.options.load().map_err(|error| error.report(console))?;
            let places = reporting.places(&config);
            places.check().map_err(|why| fail(&why, console))?;
            let quiet = reporting.quiet;
            let mut workload = Workload::gather(paths, &reporting.options, &places, quiet)
                .map_err(|why| fail(&why, console))?;
            if shown.is_some() {
                // A folder that is watched may be filled later.
                workload
                    .inputs
                    .retain(|input| !matches!(input, Err(it) if Path::new(&it.path).is_dir()));
            }
            let stories = Stories::read(&workload, &config);
            if let Some(changed) = recordings {
                let names: Vec<_> = changed.iter().map(|path| folders::name(path)).collect();
                workload.inputs.retain(|input| match input {
                    Ok(input) => {
                        let name = input.name();
                        names.contains(&name) || stories.follows(&name, &names)
                    }
                    Err(unread) => names.contains(&unread.path),
                });
            }
            let baseline_mode = reporting
                .baseline_mode(&config, interrupts)
                .map_err(|error| error.report(console))?;
            let options = Options {
                fail_on: config.threshold().severity.unwrap_or(Severity::Error),
                style: TextStyle::PLAIN,
                min_severity: reporting.min_severity,
                shows_all: reporting.all,
                shows_hints: !reporting.quiet,
                rules_url: reporting.rules_url,
            };
            let outputs = Outputs::open(wanted, options, *console, interrupts);
            Ok((workload, config, stories, baseline_mode, outputs))
        };
        let (workload, config, stories, baseline_mode, outputs) = match prepare() {
            Ok(prepared) => prepared,
            Err(outcome) => return (Continue(outcome), None),
        };
        let mut run = CheckRun::begin(self, &config, baseline_mode, *console, outputs);
        let work = |_, input: &_| task::judge(&config, &workload, &stories, input);
        let written = workload.each(work, |checked| run.take(checked));
        let exercise = self.side.map(|side| run.exercise(side));
        (run.end(written, &workload.left_out, stories.note()), exercise)
    }
}

/// Reads the address of `--rules-url`; fails for a text that is no URL. The text is never freed,
/// since the options keep it until the program ends.
fn address(text: &str) -> Result<&'static str, String> {
    let is_address = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>#".contains(&byte);
    if is_address && text.bytes().all(is_plain) {
        Ok(Box::leak(text.into()))
    } else {
        Err("not an address that begins with `https://` and has no `#`".to_owned())
    }
}

fn fail(why: &str, console: &Console) -> ExitStatus {
    console.error(why);
    ExitStatus::Failed
}
