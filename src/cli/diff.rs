//! `acpcheck diff`: shows what has changed between the recordings of two releases.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    arguments::{checked, choice},
    config::Config,
    console::Console,
    exit_status::ExitStatus,
    folders,
    input::{self, Input},
    interrupts::Interrupts,
    options::CheckOptions,
    output::Destination,
    overwrite_guard::GuardedFiles,
    reading::{self, NotJudged},
    workload::Workload,
};
use crate::{
    check::Settings,
    diff::{self, Choice, Format, Recording, Threshold},
    protocol::Side,
    report::{TextStyle, Unread},
};

/// Show what has changed between two releases of an agent or a client.
///
/// Compares recordings of an old release with recordings of a new one. It shows what is gone, changed
/// and new: what the two sides declare (capabilities, modes, options), what they do (permission
/// requests, plans, answers), in which order, and which rules they break. Texts, ids, times and amounts
/// are not compared. If files of the two sides have the same names, each is compared with its
/// namesake; `drive` names them so.
#[derive(Debug, clap::Args)]
#[command(
    after_help = HELP,
    mut_arg("side", |side| side.help(
        "Whose changes to show [default: the side whose version differs, else the agent]",
    ).long_help(
        "Whose changes to show [default: the side whose version differs, else the agent]",
    ).value_parser(choice([("client", Side::Client, ""), ("agent", Side::Agent, "")]))),
    mut_arg("fail_on", |fail_on| fail_on.hide(true)),
)]
pub(super) struct Arguments {
    /// Recordings of the old release: a file or a folder, as for `check`.
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// Recordings of the new release.
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Compare only this agent. With two names, the agent NAME in OLD is NEWNAME in NEW. Repeatable.
    #[arg(long, value_name = "NAME[=NEWNAME]", value_parser = checked(agent))]
    agent: Vec<(String, String)>,

    /// What makes the exit status 1.
    #[arg(
        long,
        value_name = "CHANGE",
        default_value = "breaking",
        value_parser = choice([
            ("breaking", Threshold::Breaking, "Breaking changes, and new errors"),
            ("changed", Threshold::Changed, "Also changes that are no additions, and new warnings"),
            ("any", Threshold::Any, "Any change"),
            ("never", Threshold::Never, ""),
        ]),
    )]
    fail_on_change: Threshold,

    /// The format of the output.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = choice([
            ("text", Format::Text, "For people"),
            ("json", Format::Json, "For programs, described by schema/diff.schema.json"),
            ("markdown", Format::Markdown, "For pull requests"),
        ]),
    )]
    format: Format,

    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Also name what could not be compared, and where additions occur first.
    #[arg(long, short, overrides_with = "verbose")]
    verbose: bool,

    /// Write only the differences: no notes, no progress.
    #[arg(long, short, overrides_with = "quiet")]
    quiet: bool,

    #[command(flatten)]
    options: CheckOptions,
}

const HELP: &str = "\
A change is shown if one side never does something, although it had the
occasion, and the other side does it each time, or so often that this is no
accident. So two runs of one release show no change.

What it cannot see: a change that occurs only now and then, what no recording
has an occasion for, and the quality of texts and of work. An account, a
folder or a configuration that differs may look like a change.

Exit status:
  0  no change as severe as --fail-on-change says
  1  such changes
  2  could not run: wrong arguments, no implementation on both sides, or the
     output cannot be written
  3  some input cannot be read or is not a transcript

Example:
  acpcheck drive --fail-on never -o new -- my-agent --acp
  acpcheck diff old new";

fn agent(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').unwrap_or((text, text));
    if old.is_empty() || new.is_empty() {
        return Err("a name is empty".to_owned());
    }
    Ok((old.to_owned(), new.to_owned()))
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let fail = |reason: &str| {
        console.error(reason);
        Ok(ExitStatus::Failed)
    };
    if arguments.options.names_fail_on() {
        return fail("`diff` has no `--fail-on`; use `--fail-on-change`");
    }
    let config = match arguments.options.load() {
        Ok(config) => config,
        Err(error) => return Ok(error.report(console)),
    };
    let interrupts = Interrupts::catch()?;
    let output = arguments.output.as_ref().filter(|path| path.as_os_str() != "-");
    let places = GuardedFiles {
        written: output.into_iter().cloned().collect(),
        read: arguments.options.read(&config, None),
    };
    if let Err(why) = places.check() {
        return fail(&why);
    }
    let run = DiffRun { arguments, config: &config, places: &places };
    let (old, new) = match run.both() {
        Ok(both) => both,
        Err(reason) => return fail(&reason),
    };
    let unread: Vec<_> = old.unread.iter().chain(&new.unread).collect();
    for unread in &unread {
        console.unread(&unread.path, &unread.reason);
    }
    if !arguments.quiet {
        for note in old.notes.iter().chain(&new.notes) {
            console.note(note);
        }
    }
    if old.recordings.is_empty() || new.recordings.is_empty() {
        return Ok(ExitStatus::Unreadable);
    }
    let side = config.general().side;
    let choice = Choice { side, agents: arguments.agent.clone() };
    let differences = diff::compare(&old.recordings, &new.recordings, &choice);
    if differences.implementations.is_empty() {
        let names = |names: &[String]| match names {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        let (old, new) = (names(&differences.only_in_old), names(&differences.only_in_new));
        return fail(&format!(
            "nothing to compare: OLD has {old}, NEW has {new}; if one was renamed, use `--agent OLD=NEW`"
        ));
    }
    let style = if output.is_some() { TextStyle::PLAIN } else { console.out };
    let text = differences.written(arguments.format, style, arguments.verbose);
    match output {
        None => io::stdout().write_all(text.as_bytes())?,
        Some(path) => {
            let destination = Destination::of(path, &interrupts);
            let put = destination
                .and_then(|it| it.put(&interrupts, |out| out.write_all(text.as_bytes())));
            if let Err(error) = put {
                return fail(&format!("cannot write `{}`: {error}", path.display()));
            }
        }
    }
    let is_reached = differences.all().any(|it| arguments.fail_on_change.is_reached_by(it));
    Ok(if !unread.is_empty() {
        ExitStatus::Unreadable
    } else if is_reached {
        ExitStatus::Findings
    } else {
        ExitStatus::Clean
    })
}

/// The recordings of one release (OLD or NEW), and which inputs of it could not be read.
#[derive(Default)]
struct Release {
    recordings: Vec<Recording>,
    unread: Vec<Unread>,
    notes: Vec<String>,
}

struct DiffRun<'a> {
    arguments: &'a Arguments,
    config: &'a Config,
    places: &'a GuardedFiles,
}

/// The result of reading one input of `acpcheck diff`: a recording, or why there is none.
enum Read {
    Recording(Box<Recording>, Option<Unread>),
    PassedOver(String),
    Unread(Unread),
}

impl DiffRun<'_> {
    fn both(&self) -> Result<(Release, Release), String> {
        let Arguments { old, new, .. } = self.arguments;
        Ok((self.release(old)?, self.release(new)?))
    }

    fn release(&self, path: &Path) -> Result<Release, String> {
        let paths = [path.to_owned()];
        let Arguments { options, quiet, .. } = self.arguments;
        let workload = Workload::gather(&paths, options, self.places, *quiet)?;
        let mut release = Release::default();
        let mut passed_over = Vec::new();
        let work = |_, input: &Result<Input, Unread>| match input {
            Ok(input) => self.read(input, path, &workload).unwrap_or_else(|error| {
                Read::Unread(Unread { path: input.name(), reason: error.to_string() })
            }),
            Err(unread) => Read::Unread(unread.clone()),
        };
        workload.each(work, |read| {
            match read {
                Read::Recording(recording, unread) => {
                    release.recordings.push(*recording);
                    release.unread.extend(unread);
                }
                Read::PassedOver(path) => passed_over.push(path),
                Read::Unread(unread) => release.unread.push(unread),
            }
            Ok::<_, String>(())
        })?;
        let read: Vec<_> = release.recordings.iter().map(|it| it.path.clone()).collect();
        let read = read.iter().map(String::as_str);
        let empty = input::empty_folders(&paths, &read, &passed_over, release.unread.len());
        release.unread.extend(empty);
        release.notes.extend(workload.left_out.note());
        Ok(release)
    }

    fn read(&self, input: &Input, root: &Path, workload: &Workload) -> io::Result<Read> {
        let path = input.name();
        let settings = Settings { side: None, ..self.config.settings(&path) };
        let mut transcript = input.open(workload.unpacking)?;
        let (check, connections) = diff::watched(&settings);
        let reading = reading::judge(&mut transcript, check, &workload.progress, || Ok(()))?;
        match reading.not_judged(input.certainty()) {
            None => {}
            Some(NotJudged::Unread(reason)) => return Ok(Read::Unread(Unread { path, reason })),
            Some(NotJudged::PassedOver) => return Ok(Read::PassedOver(path)),
        }
        let scenario = scenario(input, root);
        let rest = reading.failure.map(|reason| Unread { path: path.clone(), reason });
        let recording =
            Recording::new(path, scenario, connections, &reading.diagnostics, &reading.outcome);
        Ok(Read::Recording(Box::new(recording), rest))
    }
}

/// The name of a recording below the folder that the user names, without the endings of packed
/// files. `diff` compares recordings with one name.
fn scenario(input: &Input, root: &Path) -> String {
    let Some(path) = input.path() else { return String::new() };
    let below = path.strip_prefix(root).unwrap_or(path);
    let mut below = below.to_owned();
    while below.extension().is_some_and(|ending| ending == "gz" || ending == "zst") {
        below.set_extension("");
    }
    folders::name(&below)
}
