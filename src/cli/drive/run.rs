//! One run: plays the scenarios one after the other, tells of each, and checks the recordings.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tempfile::TempDir;

use super::{
    Arguments,
    process::{Launch, Process},
};
use crate::{
    cli::{
        check,
        console::Console,
        exit_status::ExitStatus,
        guard::{Folder, Guard},
        interrupts::Interrupts,
        record::place,
        scenarios::{Table, make_folder, run_number},
    },
    drive::{self, PlayOptions, Player, SCENARIOS, Scenario, State, Stop},
    protocol::Side,
    source::printable,
};

/// The result of a scenario that was played, or that was skipped as not offered.
struct Played {
    scenario: &'static Scenario,
    outcome: Result<State, Stop>,
    /// How the agent ended by itself, such as `status 1`; `None` when it still ran at the end of
    /// the scenario.
    ended: Option<String>,
}

impl Played {
    /// The word for the scenario's state in the table of `acpcheck drive`, such as `refused`.
    fn state(&self) -> &'static str {
        match &self.outcome {
            Ok(State::Done(_)) => "done",
            Ok(State::Refused(_) | State::Declined(_)) | Err(Stop::NotInitialized(_)) => "refused",
            Ok(State::NotDone(_) | State::NoWork(_)) => "not done",
            Ok(State::NotOffered(_)) => "not offered",
            Err(Stop::Unanswered(_)) => "unanswered",
            Err(Stop::Ended) => "ended",
            Err(Stop::Interrupted) => "interrupted",
        }
    }

    fn detail(&self) -> String {
        match &self.outcome {
            Ok(
                State::Done(detail)
                | State::Refused(detail)
                | State::Declined(detail)
                | State::NotDone(detail)
                | State::NoWork(detail)
                | State::NotOffered(detail),
            )
            | Err(Stop::NotInitialized(detail)) => detail.clone(),
            Err(Stop::Unanswered(method)) => format!("no answer to {method}"),
            Err(Stop::Ended) => match &self.ended {
                Some(ended) => format!("the agent ended with {ended}"),
                None => "the agent closed its output".to_owned(),
            },
            Err(Stop::Interrupted) => String::new(),
        }
    }

    /// Whether the result makes `drive` exit as failed. `required` are the scenarios that the user
    /// requires to be done.
    fn is_failure(&self, required: &[&Scenario]) -> bool {
        let is_required = required.iter().any(|it| it.name == self.scenario.name);
        match self.outcome {
            Ok(State::Done(_)) => false,
            // Who gives a prompt wants turns: an agent that refuses them, or does nothing, must not pass.
            Ok(State::Refused(_) | State::NoWork(_)) => is_required || self.scenario.takes_prompt(),
            Err(Stop::NotInitialized(_)) => true,
            Err(Stop::Unanswered(_) | Stop::Ended) => self.scenario.must_survive || is_required,
            Ok(State::Declined(_) | State::NotDone(_) | State::NotOffered(_))
            | Err(Stop::Interrupted) => is_required,
        }
    }
}

/// Plays the scenarios, checks the recordings, and prints table, findings and summary. Returns the
/// exit status.
pub(super) fn play(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let fail = |why: &str| {
        console.error(why);
        Ok(ExitStatus::Failed)
    };
    let scenarios = match arguments.scenarios() {
        Ok(scenarios) => scenarios,
        Err(why) => return fail(&why),
    };
    let guard = Arc::new(Guard::new());
    let cleaning = Arc::clone(&guard);
    let interrupts = Interrupts::catch_and_clean(move || cleaning.clean())?;
    interrupts.defer();
    let (folder, own_cwd, notes) = match folders(arguments, &scenarios, &guard) {
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
        table: Table::new(&arguments.reporting, *console, scenarios.iter().map(|it| it.name)),
        interrupts: &interrupts,
        guard: &guard,
        options: PlayOptions {
            version: arguments.protocol,
            run: run_number(),
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
        mcp_calls: &notes.path().join("mcp-calls"),
        left_out: arguments.left_out(&scenarios),
        recordings: Vec::new(),
        tells_agent: true,
        takes_end_of_input: true,
    };
    let mut played: Vec<Played> = Vec::new();
    let mut is_answered = false;
    for scenario in scenarios {
        let (one, answered) = match run.scenario(scenario) {
            Ok(played) => played,
            Err(why) => return fail(&why),
        };
        is_answered |= answered;
        let was_played = !run.recordings.is_empty();
        let is_over = one.outcome == Err(Stop::Interrupted) || was_played && !is_answered;
        run.table.row(one.scenario.name, one.state(), &one.detail())?;
        played.push(one);
        if is_over {
            break;
        }
    }
    if interrupts.is_asked() {
        drop((folder, own_cwd, notes));
        // Ends the program.
        interrupts.release();
        return Ok(ExitStatus::Failed);
    }
    interrupts.release();
    let was_played = !run.recordings.is_empty();
    let found = if was_played { run.check()? } else { ExitStatus::Clean };
    interrupts.defer();
    let failed = played.iter().filter(|one| one.is_failure(&arguments.require));
    let failed: Vec<_> = failed.map(|one| (one.scenario.name, one.state())).collect();
    let status = if was_played && !is_answered && found != ExitStatus::Failed {
        console.error(
            "`initialize` was never answered, so only what the agent has written was checked",
        );
        ExitStatus::Unreadable
    } else {
        run.table.failed(&failed)?;
        match found {
            ExitStatus::Clean if !failed.is_empty() => ExitStatus::Findings,
            found => found,
        }
    };
    if status != ExitStatus::Clean && !interrupts.is_asked() {
        run.table.kept(folder, &guard);
    }
    drop((own_cwd, notes));
    interrupts.release();
    Ok(status)
}

/// Makes the folders of a run: for the recordings; for sessions, unless the user has named one; and
/// for notes of the MCP server.
fn folders(
    arguments: &Arguments,
    scenarios: &[&Scenario],
    guard: &Guard,
) -> Result<(Folder, Option<TempDir>, TempDir), String> {
    let folder = match &arguments.output {
        Some(path) => {
            make_folder(path, scenarios.iter().map(|it| file_name(it)))?;
            Folder::Named(path.clone())
        }
        None => Folder::Own(guard.folder("drive")?),
    };
    let cwd = if arguments.cwd.is_none() { Some(guard.folder("session")?) } else { None };
    Ok((folder, cwd, guard.folder("notes")?))
}

/// The name of the file for the recording of a scenario, such as `03-turn.ndjson`; the number is
/// its place in `SCENARIOS`.
fn file_name(scenario: &Scenario) -> String {
    let number = SCENARIOS.iter().position(|it| it.name == scenario.name).unwrap_or_default();
    format!("{:02}-{}.ndjson", number + 1, scenario.name)
}

/// A run of `drive`: its options and folders, and what it has recorded so far.
struct Run<'a> {
    arguments: &'a Arguments,
    table: Table<'a>,
    interrupts: &'a Interrupts,
    guard: &'a Guard,
    options: PlayOptions,
    folder: PathBuf,
    cwd: &'a Path,
    /// The file in which the run's MCP server notes the methods that are called; emptied for each
    /// scenario.
    mcp_calls: &'a Path,
    /// The scenarios that are not played, each with the reason, for the first recording.
    left_out: Vec<(&'static str, String)>,
    recordings: Vec<PathBuf>,
    /// Whether name and version of the agent have still to be printed, which happens after the
    /// first scenario in which `initialize` was answered.
    tells_agent: bool,
    /// Whether every process so far has ended when its input was closed. If not, later ones get
    /// less time before they are killed.
    takes_end_of_input: bool,
}

impl Run<'_> {
    /// Plays one scenario with a new process of the agent. The flag says whether `initialize` was
    /// answered. An error is a sentence without a full stop.
    fn scenario(&mut self, scenario: &'static Scenario) -> Result<(Played, bool), String> {
        /// How long an agent may take to end after its input was closed, if an earlier one did not
        /// end in that way.
        const IMPATIENCE: Duration = Duration::from_millis(300);
        if let Some(state) = drive::not_offered(scenario, self.options.version) {
            let played = Played { scenario, outcome: Ok(state), ended: None };
            return Ok((played, false));
        }
        let Self { arguments, interrupts, guard, options, folder, cwd, mcp_calls, .. } = &*self;
        // Empty for each scenario.
        File::create(mcp_calls)
            .map_err(|error| format!("cannot make a temporary file: {error}"))?;
        let path = folder.join(file_name(scenario));
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
            grace: options.grace,
            patience: if self.takes_end_of_input { options.grace } else { IMPATIENCE },
            mcp_calls,
            interrupts,
            guard,
            run: &options.run,
            scenario,
            left_out: if self.recordings.is_empty() { &self.left_out } else { &[] },
        };
        let mut agent = Process::start(&launch, &mut next_file)?;
        let mut player = Player::new(&mut agent, options);
        let outcome = drive::play(scenario, &mut player);
        let (is_answered, info, version) =
            (player.is_answered(), player.agent_info(), player.version());
        let played = Played { scenario, outcome, ended: agent.ended() };
        agent.end(Some((played.state(), &played.detail())));
        let was_signalled = agent.was_signalled();
        let (failure, errors) = (agent.failure(), agent.last_errors(ERRORS));
        drop(agent);
        self.takes_end_of_input &= !was_signalled;
        self.recordings.append(&mut recordings);
        if let Some(why) = failure {
            return Err(why);
        }
        if let Some((name, number)) = info.filter(|_| self.tells_agent) {
            self.tells_agent = false;
            let line = format!("{name} {number}, protocol {version}");
            // A table that cannot be written ends the run later.
            let _ = self.table.line(&printable(&line));
        }
        if matches!(played.outcome, Err(Stop::Ended | Stop::Unanswered(_))) {
            self.table.printed("standard error of the agent", &errors);
        }
        Ok((played, is_answered))
    }

    /// Checks the recordings of the run like `acpcheck check`, and prints the findings. Returns the
    /// exit status.
    fn check(&self) -> io::Result<ExitStatus> {
        let Self { arguments, table: Table { console, .. }, interrupts, recordings, .. } = self;
        let reporting = &arguments.reporting;
        let (found, exercise) =
            check::check_side(Side::Agent, recordings, reporting, console, interrupts);
        if found != ExitStatus::Failed {
            let why = match (&arguments.prompt, &arguments.long_prompt) {
                (None, None) => "Turns were not tried: give a prompt with --prompt TEXT.",
                _ => "",
            };
            self.table.requirements(&exercise, why)?;
        }
        Ok(found)
    }
}

/// How many of the last lines of standard error are shown when an agent fails.
const ERRORS: usize = 5;
