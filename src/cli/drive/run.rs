//! One run: plays the scenarios one after the other, tells of each, and checks the recordings.

use std::{
    fs::{DirBuilder, File},
    io::{self, Write},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    Arguments,
    process::{Launch, Process},
};
use crate::{
    check::Tally,
    cli::{
        check, console::Console, exit_status::ExitStatus, interrupts::Interrupts, record::place,
    },
    drive::{Player, SCENARIOS, Scenario, State, Stop, Wishes},
    protocol::Side,
    rule::Bound,
    rules::CATALOGUE,
    source::printable,
};

/// Where the recordings are.
enum Folder {
    /// The user's.
    Named(PathBuf),
    /// A temporary one.
    Own(TempDir),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Own(folder) => folder.path(),
        }
    }
}

/// How a scenario went.
struct Played {
    scenario: &'static Scenario,
    outcome: Result<State, Stop>,
    /// How the agent had ended by itself.
    ended: Option<String>,
}

impl Played {
    /// The state, as the table has it.
    fn state(&self) -> &'static str {
        match &self.outcome {
            Ok(State::Done(_)) => "done",
            Ok(State::Refused(_)) | Err(Stop::NotInitialized(_)) => "refused",
            Ok(State::NotOffered(_)) => "not offered",
            Err(Stop::Unanswered(_)) => "unanswered",
            Err(Stop::Ended) => "ended",
            Err(Stop::Interrupted) => "interrupted",
        }
    }

    fn detail(&self) -> String {
        match &self.outcome {
            Ok(State::Done(detail) | State::Refused(detail) | State::NotOffered(detail))
            | Err(Stop::NotInitialized(detail)) => detail.clone(),
            Err(Stop::Unanswered(method)) => format!("no answer to {method}"),
            Err(Stop::Ended) => match &self.ended {
                Some(ended) => format!("the agent ended with {ended}"),
                None => "the agent closed its output".to_owned(),
            },
            Err(Stop::Interrupted) => String::new(),
        }
    }

    /// Whether it makes the run fail.
    fn is_failure(&self, required: &[&Scenario]) -> bool {
        let is_required = required.iter().any(|it| it.name == self.scenario.name);
        match self.outcome {
            Ok(State::Done(_)) => false,
            Err(Stop::NotInitialized(_)) => true,
            Err(Stop::Unanswered(_) | Stop::Ended) => self.scenario.must_survive || is_required,
            _ => is_required,
        }
    }
}

/// Plays the scenarios and checks what was recorded.
pub(super) fn play(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let fail = |why: &str| {
        console.error(why);
        Ok(ExitStatus::Failed)
    };
    let scenarios = match arguments.scenarios() {
        Ok(scenarios) => scenarios,
        Err(why) => return fail(&why),
    };
    let interrupts = Interrupts::catch()?;
    interrupts.hold();
    let (folder, own_cwd) = match folders(arguments) {
        Ok(folders) => folders,
        Err(why) => return fail(&why),
    };
    let cwd = arguments.cwd.as_deref().or(own_cwd.as_ref().map(TempDir::path));
    let cwd = cwd.unwrap_or(Path::new(".")).canonicalize();
    let cwd = match cwd {
        Ok(cwd) if cwd.is_dir() => cwd,
        Ok(_) => return fail("`--cwd` is not a folder"),
        Err(error) => return fail(&format!("`--cwd`: {error}")),
    };
    let mut run = Run {
        arguments,
        console: *console,
        interrupts: &interrupts,
        wishes: Wishes {
            version: arguments.protocol,
            cwd: cwd.to_string_lossy().into_owned(),
            prompt: arguments.prompt.clone(),
            long_prompt: arguments.long_prompt.clone(),
            auth: arguments.auth.clone(),
            allows: arguments.allow,
            start_timeout: arguments.start_timeout,
            timeout: arguments.timeout,
            grace: arguments.grace,
        },
        folder: folder.path().to_owned(),
        cwd: &cwd,
        recordings: Vec::new(),
        width: scenarios.iter().map(|it| it.name.len()).max().unwrap_or_default(),
        tells_agent: true,
    };
    let mut played: Vec<Played> = Vec::new();
    let mut is_answered = false;
    for scenario in scenarios {
        let (one, answered) = match run.scenario(scenario) {
            Ok(played) => played,
            Err(why) => return fail(&why),
        };
        is_answered |= answered;
        let is_over = one.outcome == Err(Stop::Interrupted) || !is_answered;
        run.tell(&one)?;
        played.push(one);
        if is_over {
            break;
        }
    }
    if interrupts.is_asked() {
        drop((folder, own_cwd));
        // Ends the program.
        interrupts.release();
        return Ok(ExitStatus::Failed);
    }
    interrupts.release();
    let status = if is_answered {
        let failed = played.iter().any(|one| one.is_failure(&arguments.require));
        match run.check()? {
            ExitStatus::Clean if failed => ExitStatus::Findings,
            found => found,
        }
    } else {
        run.console.error("`initialize` was never answered, so nothing was checked");
        ExitStatus::Unreadable
    };
    if let Folder::Own(folder) = folder
        && status != ExitStatus::Clean
    {
        let kept = folder.keep();
        run.note(&format!("the recordings are in `{}`", kept.display()));
    }
    Ok(status)
}

/// The folder of the recordings, and one for sessions if the user names none.
fn folders(arguments: &Arguments) -> Result<(Folder, Option<TempDir>), String> {
    let temporary = |prefix| {
        let made = tempfile::Builder::new().prefix(prefix).tempdir();
        made.map_err(|error| format!("cannot make a temporary folder: {error}"))
    };
    let folder = match &arguments.output {
        Some(path) => {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
            made.map_err(|error| format!("cannot make `{}`: {error}", path.display()))?;
            Folder::Named(path.clone())
        }
        None => Folder::Own(temporary("acpcheck-drive-")?),
    };
    let cwd = if arguments.cwd.is_none() { Some(temporary("acpcheck-session-")?) } else { None };
    Ok((folder, cwd))
}

/// What a run needs, and what it has so far.
struct Run<'a> {
    arguments: &'a Arguments,
    console: Console,
    interrupts: &'a Interrupts,
    wishes: Wishes,
    folder: PathBuf,
    cwd: &'a Path,
    recordings: Vec<PathBuf>,
    /// How wide the names of scenarios are.
    width: usize,
    /// Whether the agent is to be named yet.
    tells_agent: bool,
}

impl Run<'_> {
    /// Plays one scenario. Returns also whether `initialize` was answered. An error is a
    /// sentence without a full stop.
    fn scenario(&mut self, scenario: &'static Scenario) -> Result<(Played, bool), String> {
        let Self { arguments, interrupts, wishes, folder, cwd, .. } = &*self;
        let number = SCENARIOS.iter().position(|it| it.name == scenario.name).unwrap_or_default();
        let path = folder.join(format!("{:02}-{}.ndjson", number + 1, scenario.name));
        let name = place::agent_name(arguments.agent.first().map_or("".as_ref(), |it| it));
        let mut recordings = Vec::new();
        let mut next_file = || -> Result<File, String> {
            let (file, path) = place::make(&path, &name)?;
            recordings.push(path);
            Ok(file)
        };
        let launch = Launch {
            command: &arguments.agent,
            name: name.clone(),
            environment: &arguments.env,
            folder: cwd,
            grace: wishes.grace,
            interrupts,
            ends: scenario.must_survive,
        };
        let mut agent = Process::start(&launch, &mut next_file)?;
        let mut player = Player::new(&mut agent, wishes);
        let outcome = (scenario.play)(&mut player);
        let (is_answered, info, version) =
            (player.is_answered(), player.agent_info(), player.version());
        let ended = agent.ended();
        agent.end();
        let (failure, errors) = (agent.failure(), agent.last_errors(ERRORS));
        drop(agent);
        self.recordings.append(&mut recordings);
        if let Some(why) = failure {
            return Err(why);
        }
        if let Some((name, number)) = info.filter(|_| self.tells_agent) {
            self.tells_agent = false;
            let line = format!("{name} {number}, protocol {version}");
            // A table that cannot be written ends the run later.
            let _ = self.line(&printable(&line));
        }
        if matches!(outcome, Err(Stop::Ended | Stop::Unanswered(_))) && !self.arguments.is_quiet() {
            for line in errors {
                self.note(&format!("standard error of the agent: {line}"));
            }
        }
        Ok((Played { scenario, outcome, ended }, is_answered))
    }

    /// Tells how a scenario went.
    fn tell(&self, played: &Played) -> io::Result<()> {
        let (name, state, detail) = (played.scenario.name, played.state(), played.detail());
        let head = format!("  {name:width$}  ", width = self.width);
        let text = printable(&format!("{state:12}{detail}")).trim_end().to_owned();
        self.line(&format!("{head}{text}"))
    }

    /// Says how many rules the agent has followed, and why not more were exercised.
    fn tell_rules(&self, tallies: &[Tally]) -> io::Result<()> {
        let (mut upheld, mut idle) = (0_usize, 0_usize);
        for (rule, tally) in CATALOGUE.iter().zip(tallies) {
            if rule.binds == Bound::Client {
                continue;
            }
            match tally {
                Tally { exercised: 0, .. } => idle += 1,
                Tally { failed: 0, .. } => upheld += 1,
                _ => {}
            }
        }
        let why = if self.arguments.prompt.is_none() { ": no prompt was given" } else { "" };
        self.line(&format!("{upheld} rules upheld, {idle} not exercised{why}."))
    }

    /// Checks the recordings.
    fn check(&self) -> io::Result<ExitStatus> {
        let Self { arguments, console, interrupts, recordings, .. } = self;
        let reporting = &arguments.reporting;
        let (found, tallies) =
            check::check_side(Side::Agent, recordings, reporting, console, interrupts);
        if found != ExitStatus::Failed {
            self.tell_rules(&tallies)?;
        }
        Ok(found)
    }

    /// Writes a line of the table: before the report if that is text, else beside it.
    fn line(&self, line: &str) -> io::Result<()> {
        if self.arguments.is_quiet() {
            return Ok(());
        }
        if self.arguments.reporting.is_text() {
            writeln!(io::stdout(), "{line}")
        } else {
            writeln!(io::stderr(), "{line}")
        }
    }

    fn note(&self, text: &str) {
        if !self.arguments.is_quiet() {
            self.console.note(text);
        }
    }
}

/// How many lines of standard error are shown when an agent fails.
const ERRORS: usize = 5;
