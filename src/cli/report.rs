//! `acpcheck report`: judges transcripts and reports on each side's compliance, or joins reports.

use std::{
    collections::HashSet,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Console, ExitStatus, baseline, bounded, choice,
    config::Config,
    folders::{self, Finder},
    identity::Identity,
    input::{self, Input},
    interrupts::Interrupts,
    options::CheckOptions,
    output::Destination,
    overwrite_guard::GuardedFiles,
    reading::{self, NotJudged},
    stories::Stories,
    workload::Workload,
};
use crate::{
    audit,
    check::{Head, Story, Tail},
    plans,
    report::{
        Unread,
        compliance::{
            self, Acceptance, Acceptances, ChosenSeverity, Compliance, DocumentFormat, JsonName,
            RuleId, Stored, TranscriptSection,
        },
    },
    rule::{By, Rule},
    rules::CATALOGUE,
    source::Locator,
};

/// Report on compliance.
///
/// Judges transcripts as `check` does. The report shows for each agent and client which rules it
/// violated (a message breaks the rule), upheld (messages were about the rule, and none breaks it)
/// or did not exercise (no message was about the rule), and which rules are not assessable (the
/// transcript lacks what they need). It shows the evidence, the plans, and how much of the protocol
/// was covered.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Transcripts: files and folders as for `check`; with --merge, JSON reports and folders of them.
    #[arg(required = true, value_name = "PATHS")]
    paths: Vec<PathBuf>,

    /// Where to write: a file, or a folder for `compliance.html`, `.md` and `.json`.
    ///
    /// The extension of a file decides its format. Without this option, the report goes to standard
    /// output, in Markdown unless --format says otherwise.
    #[arg(short, long, value_name = "DIR|FILE")]
    output: Option<PathBuf>,

    /// The format; in a folder, only this one is written.
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = choice([
            ("html", DocumentFormat::Html, "One page for people, without scripts, that loads nothing"),
            ("markdown", DocumentFormat::Markdown, "For job summaries and code review"),
            ("json", DocumentFormat::Json, "For programs, described by schema/compliance.schema.json; can be merged"),
        ]),
    )]
    format: Option<DocumentFormat>,

    /// Merge JSON reports into the report that one run over all their transcripts gives.
    #[arg(long, conflicts_with_all = CheckOptions::OPTIONS, conflicts_with = "redact")]
    merge: bool,

    /// Mask the strings of the transcripts.
    ///
    /// Letters become x, digits become 0; the command `redact` writes placeholders instead. The
    /// protocol's own words, numbers, and the names and versions of the two programs stay readable.
    #[arg(long)]
    redact: bool,

    /// Mark the findings that this file (a baseline) accepts, with the reasons.
    ///
    /// They are reported and judged like all others, but do not make the exit status 1. This option
    /// wins over `baseline` in the configuration.
    #[arg(long, value_name = "FILE", conflicts_with = "merge", help_heading = "Baseline")]
    baseline: Option<PathBuf>,

    /// Write only the report: no notes, no progress.
    #[arg(long, short, overrides_with = "quiet")]
    quiet: bool,

    #[command(flatten)]
    options: CheckOptions,
}

/// A document of `acpcheck report` to be written: its format and its path.
#[derive(Debug)]
struct ReportFile {
    format: DocumentFormat,
    /// The file to write the report to; `None` for standard output.
    path: Option<PathBuf>,
}

impl ReportFile {
    fn destination(&self, interrupts: &Interrupts) -> Result<Destination, String> {
        let Some(path) = &self.path else { return Ok(Destination::Standard) };
        Destination::of(path, interrupts).map_err(|error| unwritable(path, &error))
    }

    fn write(
        &self,
        compliance: &Compliance,
        to: &Destination,
        interrupts: &Interrupts,
    ) -> Result<(), String> {
        let put = to.put(interrupts, |out| compliance.write(self.format, out));
        match (&self.path, put) {
            (_, Ok(())) => Ok(()),
            // Whoever read it has seen enough.
            (None, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (None, Err(error)) => Err(format!("cannot write the report: {error}")),
            (Some(path), Err(error)) => Err(unwritable(path, &error)),
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("cannot write `{}`: {error}", path.display())
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let fail = |reason: String| {
        console.error(&reason);
        Ok(ExitStatus::Failed)
    };
    let targets = match targets(arguments.output.as_deref(), arguments.format) {
        Ok(targets) => targets,
        Err(reason) => return fail(reason),
    };
    let config = match arguments.options.load() {
        Ok(config) => config,
        Err(error) => return Ok(error.report(console)),
    };
    let interrupts = Interrupts::catch()?;
    let baseline = arguments.baseline.clone().or_else(|| config.baseline());
    let places = GuardedFiles {
        written: targets.iter().filter_map(|target| target.path.clone()).collect(),
        read: arguments.options.read(&config, baseline.as_deref()),
    };
    if let Err(why) = places.check() {
        return fail(why);
    }
    let check_targets =
        || targets.iter().try_for_each(|target| target.destination(&interrupts).map(|_| ()));
    let compliance = if arguments.merge {
        join(&arguments.paths, &targets).inspect(|joined| {
            for Unread { path, reason } in &joined.unread {
                console.unread(path, reason);
            }
        })
    } else {
        let accepted = match baseline.as_deref().map(baseline::accepted).transpose() {
            Ok(accepted) => accepted.unwrap_or_default(),
            Err(error) => return Ok(error.report(console)),
        };
        judge(arguments, &config, accepted, &places, check_targets, console)
    };
    let compliance = match compliance {
        Ok(compliance) => compliance,
        Err(reason) => return fail(reason),
    };
    // A page about nothing helps nobody; a part for `--merge` names what it could not read.
    let is_empty = compliance.files.is_empty() && !compliance.unread.is_empty();
    let is_written = |target: &&ReportFile| !is_empty || target.format == DocumentFormat::Json;
    for target in targets.iter().filter(is_written) {
        let written = target
            .destination(&interrupts)
            .and_then(|to| target.write(&compliance, &to, &interrupts));
        if let Err(reason) = written {
            return fail(reason);
        }
        if let Some(path) = target.path.as_ref().filter(|_| !arguments.quiet) {
            console.note(&format!("wrote `{}`", path.display()));
        }
    }
    Ok(if !compliance.unread.is_empty() {
        ExitStatus::Unreadable
    } else if config.threshold().is_reached(compliance.open(), compliance.unjudged()) {
        ExitStatus::Findings
    } else {
        ExitStatus::Clean
    })
}

/// The documents to write, by `--output` and `--format`: one file, standard output, or a file of
/// each format in a folder. An error is a sentence without a full stop.
fn targets(
    output: Option<&Path>,
    format: Option<DocumentFormat>,
) -> Result<Vec<ReportFile>, String> {
    let Some(output) = output.filter(|path| path.as_os_str() != "-") else {
        return Ok(vec![ReportFile {
            format: format.unwrap_or(DocumentFormat::Markdown),
            path: None,
        }]);
    };
    let ends_in_slash = output.as_os_str().as_encoded_bytes().last() == Some(&b'/');
    if output.is_dir() || ends_in_slash || (output.extension().is_none() && !output.exists()) {
        let formats = format.map_or(DocumentFormat::ALL.to_vec(), |format| vec![format]);
        let file = |format: DocumentFormat| ReportFile {
            format,
            path: Some(output.join("compliance").with_extension(format.extension())),
        };
        return Ok(formats.into_iter().map(file).collect());
    }
    let ending = output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let told = match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => Some(DocumentFormat::Html),
        "md" | "markdown" => Some(DocumentFormat::Markdown),
        "json" => Some(DocumentFormat::Json),
        _ => None,
    };
    let Some(format) = format.or(told) else {
        let what = match ending {
            "" => "no extension".to_owned(),
            ending => format!("unknown extension `.{ending}`"),
        };
        let output = output.display();
        return Err(format!("`{output}`: {what}; use .html, .md, .json or `--format`"));
    };
    Ok(vec![ReportFile { format, path: Some(output.to_owned()) }])
}

/// The JSON reports to merge: the files among `paths`, and the JSON files in folders by name. Fails
/// when one is named twice or is to be written, and when a folder has none.
fn reports(paths: &[PathBuf], targets: &[ReportFile]) -> Result<Vec<PathBuf>, String> {
    let written = targets.iter().filter_map(|target| Identity::of(target.path.as_ref()?));
    let written: Vec<_> = written.collect();
    let is_written = |path: &Path| Identity::of(path).is_some_and(|it| written.contains(&it));
    if let Some(path) = paths.iter().find(|path| path.is_file() && is_written(path)) {
        let name = folders::name(path);
        return Err(format!("`{name}` is an input and an output; write to another file"));
    }
    let mut reports = Vec::new();
    let mut finder = Finder::new(paths);
    let is_json = |name: &OsStr| Path::new(name).extension().is_some_and(|it| it == "json");
    for path in paths {
        if !path.is_dir() {
            if path.as_os_str() != "-" && !finder.is_new(path) {
                let name = folders::name(path);
                return Err(format!("cannot merge: `{name}` is named twice"));
            }
            reports.push(path.clone());
            continue;
        }
        let found = finder.files_in(path, is_json).unwrap_or_default();
        let found: Vec<_> = found
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|Unread { path, reason }| format!("cannot merge `{path}`: {reason}"))?;
        let before = reports.len();
        reports.extend(found.into_iter().filter(|path| !is_written(path)));
        if reports.len() == before {
            return Err(format!(
                "cannot merge `{}`: no JSON report in this folder",
                path.display()
            ));
        }
    }
    Ok(reports)
}

/// Most MiB of a JSON report that is read for `--merge`; a longer one is refused.
const MOST: u64 = 1024;

/// Reads the JSON reports at these paths and merges them into one (`--merge`). Fails, with a
/// sentence, when one cannot be read or they do not fit together.
fn join(paths: &[PathBuf], targets: &[ReportFile]) -> Result<Compliance, String> {
    let (mut parts, mut names) = (Vec::new(), HashSet::new());
    for path in &reports(paths, targets)? {
        let name = path.display().to_string();
        if !names.insert(name.clone()) {
            return Err(format!("cannot merge: `{name}` is named twice"));
        }
        let text = if path.as_os_str() == "-" {
            bounded::read_json_from(io::stdin().lock(), MOST)
        } else {
            bounded::read_json(path, MOST)
        };
        let text = text.map_err(|error| format!("cannot merge `{name}`: {error}"))?;
        let part = Compliance::read(&text);
        parts
            .push((name.clone(), part.map_err(|error| format!("cannot merge `{name}`: {error}"))?));
    }
    Compliance::merge(parts).map_err(|error| format!("cannot merge: {error}"))
}

/// What came of one input for the compliance report: a record of the file, or why there is none.
enum InputReport {
    /// The part of the report about a transcript, and why the transcript could not be read to its
    /// end (`None` when it could).
    File(Box<compliance::FileRecord>, Option<Unread>),
    PassedOver(String),
    Unread(Unread),
}

fn judge(
    arguments: &Arguments,
    config: &Config,
    accepted: Vec<Acceptance>,
    places: &GuardedFiles,
    check_targets: impl FnOnce() -> Result<(), String>,
    console: &Console,
) -> Result<Compliance, String> {
    let acceptances = Arc::new(Acceptances::new(&accepted));
    let (paths, quiet) = (&*arguments.paths, arguments.quiet);
    let workload = Workload::gather(paths, &arguments.options, places, quiet)?;
    // Before anything is judged: it must not be in vain.
    check_targets()?;
    let task = ReportTask {
        config,
        workload: &workload,
        stories: Stories::read(&workload, config),
        acceptances,
        is_redacted: arguments.redact,
    };
    let work = |_, input: &Result<Input, Unread>| match input {
        Ok(input) => task
            .judge(input)
            .unwrap_or_else(|error| InputReport::unread(input.name(), error.to_string())),
        Err(unread) => InputReport::Unread(unread.clone()),
    };
    let mut inputs_read = Inputs::default();
    workload.each(work, |judged| {
        inputs_read.take(judged, |unread| console.unread(&unread.path, &unread.reason));
        Ok::<_, String>(())
    })?;
    let Inputs { files, mut unread, passed_over } = inputs_read;
    let judged = files.iter().map(|file| &*file.path);
    for folder in input::empty_folders(paths, &judged, &passed_over, unread.len()) {
        console.unread(&folder.path, &folder.reason);
        unread.push(folder);
    }
    if !quiet {
        task.stories.note().iter().for_each(|note| console.note(note));
        config.unmatched().iter().for_each(|unmatched| console.note(unmatched));
        workload.left_out.note().iter().for_each(|note| console.note(note));
    }
    let settings = run_settings(config, accepted, arguments.redact);
    Ok(Compliance::new(settings, files, unread, passed_over))
}

/// The results of all inputs so far, for the compliance report.
#[derive(Default)]
struct Inputs {
    files: Vec<compliance::FileRecord>,
    unread: Vec<Unread>,
    passed_over: Vec<String>,
}

impl Inputs {
    fn take(&mut self, judged: InputReport, tell: impl FnOnce(&Unread)) {
        let unread = match judged {
            InputReport::File(file, unread) => {
                self.files.push(*file);
                unread
            }
            InputReport::PassedOver(path) => {
                self.passed_over.push(path);
                None
            }
            InputReport::Unread(unread) => Some(unread),
        };
        if let Some(unread) = unread {
            tell(&unread);
            self.unread.push(unread);
        }
    }
}

/// What each thread needs to check an input for the compliance report.
struct ReportTask<'a> {
    config: &'a Config,
    workload: &'a Workload,
    stories: Stories,
    acceptances: Arc<Acceptances>,
    is_redacted: bool,
}

impl ReportTask<'_> {
    fn judge(&self, input: &Input) -> io::Result<InputReport> {
        let mut transcript = input.open_summed(self.workload.unpacking)?;
        let path = input.name();
        let mut settings = self.config.settings(&path);
        self.stories.place(&mut settings, &path);
        let acceptances = Arc::clone(&self.acceptances);
        let mut section = TranscriptSection::new(self.is_redacted).accepting(acceptances);
        let (check, steps) = plans::watched(&settings);
        let (check, actions) = audit::watched(check.with_conduct());
        let progress = &self.workload.progress;
        let mut reading = reading::judge(&mut transcript, check, progress, || {
            for step in steps.try_iter() {
                section.step(&step);
            }
            for event in actions.try_iter() {
                section.audit(event);
            }
            Ok(())
        })?;
        self.stories.locate(&mut reading.diagnostics);
        let mut locator = Locator::new(&mut transcript);
        for diagnostic in &reading.diagnostics {
            section.diagnostic(diagnostic, &mut locator)?;
        }
        match reading.not_judged(input.certainty()) {
            None => {}
            Some(NotJudged::Unread(reason)) => return Ok(InputReport::unread(path, reason)),
            Some(NotJudged::PassedOver) => return Ok(InputReport::PassedOver(path)),
        }
        let Some(checksum) = transcript.checksum()? else {
            return Ok(InputReport::unread(path, "its checksum is not known".to_owned()));
        };
        let stored = Stored { path: path.clone(), sha256: checksum.sha256, bytes: checksum.bytes };
        let rest = reading.failure.map(|reason| Unread { path: path.clone(), reason });
        Ok(match section.finish(stored, &reading.outcome) {
            Some(file) => InputReport::File(Box::new(file), rest),
            None => InputReport::PassedOver(path),
        })
    }
}

impl InputReport {
    fn unread(path: String, reason: String) -> Self {
        Self::Unread(Unread { path, reason })
    }
}

/// The settings of the run as the compliance report states them. `accepted` is what a baseline
/// accepts; `redacted` says that texts are masked.
fn run_settings(
    config: &Config,
    accepted: Vec<Acceptance>,
    redacted: bool,
) -> compliance::RunSettings {
    let settings = config.general();
    let severity = |(index, rule): (usize, &&Rule)| {
        let By { v1, v2 } = settings.severities.of(index).severity;
        let is_other = By::each(v1, v2) != rule.severity;
        is_other.then_some(ChosenSeverity { rule: RuleId(index), severity: JsonName(v1.max(v2)) })
    };
    compliance::RunSettings {
        surface: settings.surface.map(JsonName),
        side: settings.side.map(JsonName),
        edition: settings.edition.map(JsonName),
        input_format: settings.format.map(|format| format.name.to_owned()),
        head: match settings.head {
            Head::Auto => "auto",
            Head::Complete => "complete",
            Head::Truncated => "truncated",
        }
        .to_owned(),
        tail: match settings.tail {
            Tail::Auto => "auto",
            Tail::Open => "open",
            Tail::Closed => "closed",
        }
        .to_owned(),
        story: match settings.story {
            Story::Auto => None,
            Story::One => Some("one".to_owned()),
            Story::None => Some("none".to_owned()),
        },
        severities: CATALOGUE.iter().enumerate().filter_map(severity).collect(),
        exceptions: config.exceptions(),
        accepted: if redacted {
            accepted.into_iter().map(Acceptance::redacted).collect()
        } else {
            accepted
        },
        redacted,
    }
}
