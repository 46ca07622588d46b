//! A run with a client: starts it once for each scenario, tells how each went, and checks the recordings.
//!
//! ```text
//! run ─▶ client ─▶ script ─▶ acpcheck play --part … ─▶ recording
//!  ▲                                                      │
//!  └──────────────────────── Heard ◀──────────────────────┘
//! ```

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Write},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::PermissionsExt,
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal};

use super::{
    Arguments, Chosen,
    heard::{Ended, Heard},
    names, recorded,
};
use crate::{
    cli::{
        check,
        child::{keep_end, last_lines, named, signal, sweep, wait},
        console::Console,
        exit_status::ExitStatus,
        guard::{Folder, Guard},
        interrupts::Interrupts,
        scenarios::{Table, make_folder, run_number},
    },
    play::{PLAYBACK, SCENARIOS},
    protocol::Side,
    source::printable,
};

/// How often the recordings are examined while a client runs.
const TICK: Duration = Duration::from_millis(20);
/// How long a client may take to start the agent; the scenario fails after that.
const START: Duration = Duration::from_secs(60);
/// How long a client may go on after its scenario has ended, before its input is closed.
const SETTLE: Duration = Duration::from_millis(300);
/// How long a client has to end by itself before it is killed, without the option `--grace`.
const GRACE: Duration = Duration::from_secs(2);
/// How long agents may take to complete their recordings after the client has ended.
const LAST_LINES: Duration = Duration::from_secs(2);
/// How many of the last lines that a client has printed are shown when it fails; earlier ones are
/// not.
const ERRORS: usize = 5;
/// The placeholder of the agent's command in the client's arguments; `PROMPT` is that of the
/// prompt's text.
const AGENT: &str = "{agent}";
const PROMPT: &str = "{prompt}";
/// The environment variable by which the client gets the agent's command.
const VARIABLE: &str = "ACPCHECK_AGENT";

/// The result of one scenario that was played with a client.
struct Played {
    scenario: Chosen,
    ended: Ended,
    /// The last lines of the client's standard error (index 0) and standard output (index 1); empty
    /// when the scenario went well.
    printed: [Vec<String>; 2],
    is_initialized: bool,
    is_prompted: bool,
}

impl Played {
    /// Whether the scenario makes the run fail: it broke off, or it was not done and `--require`
    /// names it.
    fn is_failure(&self, required: &[Chosen]) -> bool {
        let is_required = required.iter().any(|it| it.name() == self.scenario.name());
        match &*self.ended.state {
            "done" => false,
            "silent" | "ended" => true,
            _ => is_required,
        }
    }
}

/// Starts the client once for each scenario, and checks the recordings. Returns the exit status of
/// the run.
pub(super) fn play(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let fail = |why: &str| {
        console.error(why);
        Ok(ExitStatus::Failed)
    };
    let config = match arguments.reporting.load() {
        Ok(config) => config,
        Err(error) => return Ok(error.report(console)),
    };
    let prompt = match recorded::read(arguments, &config) {
        Ok(recorded) => recorded.and_then(|it| Some(it.prompt()?.to_owned())),
        Err(why) => return fail(&why),
    };
    let scenarios = scenarios(arguments);
    let guard = Arc::new(Guard::new());
    let cleaning = Arc::clone(&guard);
    let interrupts = Interrupts::catch_and_clean(move || cleaning.clean())?;
    interrupts.defer();
    let made = match &arguments.output {
        Some(path) => make_folder(path, scenarios.iter().map(|it| file_name(*it)))
            .map(|()| Folder::Named(path.clone())),
        None => guard.folder("play").map(Folder::Own),
    };
    let made = made.and_then(|folder| Ok((folder, guard.folder("agent")?)));
    let (folder, scripts) = match made {
        Ok(folders) => folders,
        Err(why) => return fail(&why),
    };
    // The agents are started elsewhere.
    let path = folder.path().canonicalize()?;
    let mut run = Run {
        arguments,
        table: Table::new(&arguments.reporting, *console, scenarios.iter().map(|it| it.name())),
        interrupts: &interrupts,
        guard: &guard,
        number: run_number(),
        folder: &path,
        scripts: scripts.path(),
        recordings: Vec::new(),
        prompt,
        tells_client: true,
    };
    let mut played: Vec<Played> = Vec::new();
    for scenario in scenarios {
        let one = match run.scenario(scenario) {
            Ok(one) => one,
            Err(why) => return fail(&why),
        };
        if interrupts.is_asked() {
            break;
        }
        run.table.row(scenario.name(), &one.ended.state, &one.ended.step)?;
        run.table.printed("standard error of the client", &one.printed[0]);
        run.table.printed("standard output of the client", &one.printed[1]);
        played.push(one);
        if played.iter().all(|one| !one.is_initialized) {
            break;
        }
    }
    if interrupts.is_asked() {
        drop((folder, scripts));
        // Ends the program.
        interrupts.release();
        return Ok(ExitStatus::Failed);
    }
    interrupts.release();
    let was_played = !run.recordings.is_empty();
    let found = if was_played { run.check()? } else { ExitStatus::Clean };
    interrupts.defer();
    let failed: Vec<_> = played.iter().filter(|one| one.is_failure(&arguments.require)).collect();
    let named: Vec<_> = failed.iter().map(|one| (one.scenario.name(), &*one.ended.state)).collect();
    let status = if found == ExitStatus::Failed {
        found
    } else if played.iter().all(|one| !one.is_initialized) {
        let has_place = arguments.client.iter().any(|it| it.to_string_lossy().contains(AGENT));
        let hint = if has_place {
            ""
        } else {
            "; in its arguments, write `{agent}` in place of the agent's command"
        };
        console.error(&format!("the client never sent `initialize`{hint}"));
        ExitStatus::Unreadable
    } else if played.iter().all(|one| !one.is_prompted) {
        run.table.line("Failed: no prompt came in any scenario.")?;
        ExitStatus::Findings
    } else {
        run.table.failed(&named)?;
        match found {
            ExitStatus::Clean if !failed.is_empty() => ExitStatus::Findings,
            found => found,
        }
    };
    if status != ExitStatus::Clean && was_played && !interrupts.is_asked() {
        run.table.kept(folder, &guard);
    }
    drop(scripts);
    interrupts.release();
    Ok(status)
}

/// The scenarios of the run, each once, by `--scenario`, `--require` and `--from`.
fn scenarios(arguments: &Arguments) -> Vec<Chosen> {
    if arguments.from.is_some() {
        return vec![Chosen::Playback];
    }
    let mut chosen = arguments.scenario.clone();
    if chosen.is_empty() {
        chosen = SCENARIOS.iter().map(|scenario| Chosen::Turn(scenario)).collect();
    }
    chosen.extend(&arguments.require);
    let mut known = Vec::new();
    chosen.retain(|it| {
        let is_new = !known.contains(&it.name());
        known.push(it.name());
        is_new
    });
    chosen
}

/// The file name of the recording of a scenario, with its number, so that files sort in the order
/// of the scenarios.
fn file_name(scenario: Chosen) -> String {
    if matches!(scenario, Chosen::Playback) {
        return format!("{PLAYBACK}.ndjson");
    }
    let number = names().iter().position(|it| *it == scenario.name()).unwrap_or_default();
    format!("{:02}-{}.ndjson", number + 1, scenario.name())
}

/// A run of scenarios with a client: its settings, and what it has recorded so far.
struct Run<'a> {
    arguments: &'a Arguments,
    table: Table<'a>,
    interrupts: &'a Interrupts,
    guard: &'a Guard,
    number: String,
    /// The folder into which the agents of the run write their recordings.
    folder: &'a Path,
    /// The folder with a script for each scenario, which starts the agent.
    scripts: &'a Path,
    recordings: Vec<PathBuf>,
    /// The text of the first prompt in the recording of `--from`; `None` without the option.
    prompt: Option<String>,
    /// Whether the client's name must still be printed, which happens when it is first known.
    tells_client: bool,
}

impl Run<'_> {
    /// Plays one scenario: starts the client, waits, and ends it. An error is a sentence without a
    /// full stop, and ends the run.
    fn scenario(&mut self, scenario: Chosen) -> Result<Played, String> {
        let file = self.folder.join(file_name(scenario));
        let script = self.script(scenario, &file)?;
        let prompt = self.prompt.clone().unwrap_or_else(|| format!("/{}", scenario.turn()));
        let mut client = Client::start(self, &script, &prompt)?;
        let mut heard = Heard::new(file);
        self.follow(&mut client, &mut heard);
        client.end(self, &mut heard, &script);
        heard.look();
        self.recordings.append(&mut heard.paths());
        if let Some(version) = heard.version.filter(|_| self.tells_client) {
            self.tells_client = false;
            let name =
                if heard.client.is_empty() { "a client without a name" } else { &heard.client };
            // A table that cannot be written ends the run later.
            let _ = self.table.line(&printable(&format!("{name}, protocol {version}")));
        }
        let ended = client.state(&heard, scenario);
        let is_normal = ["done", "not offered", "not cancelled", "closed", "refused"];
        let kept = |stream| {
            if is_normal.contains(&&*ended.state) { Vec::new() } else { last_lines(stream, ERRORS) }
        };
        let printed = [kept(&client.errors), kept(&client.output)];
        let Heard { is_initialized, is_prompted, .. } = heard;
        Ok(Played { scenario, ended, printed, is_initialized, is_prompted })
    }

    /// Writes the shell script by which the client starts the agent of a scenario, and returns its
    /// path. The agent records to `file`. Fails, with a sentence, when the script cannot be
    /// written.
    fn script(&self, scenario: Chosen, file: &Path) -> Result<PathBuf, String> {
        let fail = |error: io::Error| format!("cannot make the agent's command: {error}");
        let folder = self.scripts.join(scenario.name());
        let script = folder.join("agent");
        let program = env::current_exe().map_err(fail)?;
        let own: Vec<_> = env::args_os().skip(1).take_while(|it| it != "--").collect();
        let mut words = vec![program.as_os_str()];
        words.extend(own.iter().map(OsString::as_os_str));
        words.extend([
            OsStr::new("--part"),
            OsStr::new(&self.number),
            OsStr::new(scenario.name()),
            file.as_os_str(),
            script.as_os_str(),
        ]);
        let mut text = b"#!/bin/sh\ncd ".to_vec();
        text.extend(quoted(env::current_dir().map_err(fail)?.as_os_str()));
        text.extend_from_slice(b" || exit 2\nexec");
        for word in words {
            text.push(b' ');
            text.extend(quoted(word));
        }
        text.push(b'\n');
        let make = || {
            fs::create_dir_all(&folder)?;
            fs::write(&script, text)?;
            fs::set_permissions(&script, fs::Permissions::from_mode(0o700))
        };
        make().map_err(fail)?;
        Ok(script)
    }

    /// Waits until the scenario is over: the agent has reported its end, the client has ended, or
    /// nothing happens any more.
    fn follow(&self, client: &mut Client, heard: &mut Heard) {
        let begun = Instant::now();
        let mut over: Option<Instant> = None;
        let timeout = self.arguments.timeout;
        while !self.interrupts.is_asked() && !client.has_ended() {
            heard.look();
            if over.is_none() && !heard.states.is_empty() {
                over = Some(Instant::now());
            }
            let quiet = heard.latest.elapsed();
            let is_stuck = match (heard.is_begun(), heard.is_prompted) {
                (false, _) => begun.elapsed() > timeout.max(START),
                (true, false) => quiet > timeout,
                // The agent knows when a step takes too long.
                (true, true) => quiet > timeout + START,
            };
            if is_stuck || over.is_some_and(|over| over.elapsed() > SETTLE) {
                return;
            }
            thread::sleep(TICK);
        }
    }

    /// Checks all recordings of the run for faults of the client, prints them, and prints how many
    /// rules the client followed.
    fn check(&self) -> io::Result<ExitStatus> {
        let Self { arguments, table, interrupts, recordings, .. } = self;
        let Arguments { reporting, .. } = arguments;
        let (found, exercise) =
            check::check_side(Side::Client, recordings, reporting, &table.console, interrupts);
        if found != ExitStatus::Failed {
            table.requirements(&exercise, "")?;
        }
        Ok(found)
    }
}

/// A client process of the user that is started for one scenario.
struct Client {
    child: std::process::Child,
    group: Option<Pid>,
    /// Standard input of the client; `None` when it is closed.
    input: Option<ChildStdin>,
    /// The exit status of the client; `None` while it runs.
    status: Option<std::process::ExitStatus>,
    /// The last bytes of the client's standard error; `output` has those of its standard output.
    errors: Arc<Mutex<Vec<u8>>>,
    output: Arc<Mutex<Vec<u8>>>,
}

impl Client {
    fn start(run: &Run<'_>, script: &Path, prompt: &str) -> Result<Self, String> {
        let filled = run.arguments.client.iter().map(|argument| {
            let argument = replaced(argument.as_bytes(), AGENT, script.as_os_str().as_bytes());
            OsString::from_vec(replaced(&argument, PROMPT, prompt.as_bytes()))
        });
        let mut filled = filled.collect::<Vec<_>>().into_iter();
        let program = filled.next().ok_or("no client is named")?;
        let mut command = Command::new(&program);
        command
            .args(filled)
            .env(VARIABLE, script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = run
            .guard
            .start(&mut command)
            .map_err(|error| format!("cannot start the client `{}`: {error}", program.display()))?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let mut input = child.stdin.take();
        if let Some(input) = &mut input {
            // A pipe has room for it. A client that reads nothing may be gone.
            let _ = writeln!(input, "{}", prompt.replace('\n', " "));
        }
        let keep = |stream: Option<Box<dyn io::Read + Send>>| {
            let kept = Arc::new(Mutex::new(Vec::new()));
            if let Some(stream) = stream {
                let kept = Arc::clone(&kept);
                thread::spawn(move || keep_end(stream, &kept));
            }
            kept
        };
        let errors = keep(child.stderr.take().map(|stream| Box::new(stream) as _));
        let output = keep(child.stdout.take().map(|stream| Box::new(stream) as _));
        Ok(Self { child, group, input, status: None, errors, output })
    }

    fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status.is_some()
    }

    /// Ends the client and its agents in steps: closes its input and waits, sends SIGTERM and waits
    /// again, lets the agents complete their recordings, and sends SIGKILL to the process group.
    fn end(&mut self, run: &Run<'_>, heard: &mut Heard, script: &Path) {
        let grace = run.arguments.grace.unwrap_or(GRACE);
        let interrupts = run.interrupts;
        self.input = None;
        if self.status.is_none() {
            self.status = wait(&mut self.child, Instant::now() + grace, Some(interrupts));
        }
        if self.status.is_none() {
            signal(self.group, Signal::TERM);
            self.status = wait(&mut self.child, Instant::now() + grace, None);
        }
        // Agents that a client has left behind end when their command is gone.
        let _ = fs::remove_file(script);
        let deadline = Instant::now() + LAST_LINES;
        heard.look();
        while heard.is_open() && Instant::now() < deadline {
            thread::sleep(TICK);
        }
        sweep(self.group);
        if self.status.is_none() {
            self.status = self.child.wait().ok();
        }
        run.guard.forget(self.group);
    }

    /// The state in which the scenario ended, by the recordings and the client's exit status.
    fn state(&self, heard: &Heard, scenario: Chosen) -> Ended {
        if let Some(ended) = heard.worst(scenario.turn()) {
            return ended.clone();
        }
        let with_status =
            self.status.map(|status| format!("the client ended with {}", named(status)));
        let with_status = with_status.unwrap_or_default();
        let (state, step) = if !heard.is_begun() {
            ("not played", "the agent was not started".to_owned())
        } else if !heard.open_prompts.is_empty() {
            ("ended", with_status)
        } else if heard.is_prompted {
            ("not played", format!("the agent refused the prompt; {with_status}"))
        } else if heard.is_initialized {
            ("not played", format!("no prompt came; {with_status}"))
        } else {
            ("not played", format!("no `initialize` came; {with_status}"))
        };
        Ended { name: scenario.name().to_owned(), state: state.to_owned(), step }
    }
}

/// The text with each occurrence of `old` replaced by `new`.
fn replaced(text: &[u8], old: &str, new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, old.as_bytes()) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(new);
        rest = &rest[at + old.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// The word in single quotes, as a shell script of POSIX needs it.
fn quoted(word: &OsStr) -> Vec<u8> {
    [b"'", &*replaced(word.as_bytes(), "'", b"'\\''"), b"'"].concat()
}
