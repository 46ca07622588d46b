//! `acpcheck play`: plays a strict agent for a live client, records what is said, and checks the client.
//!
//! The [`Scenario`]s say what the agent does, [`stdio`] is its connection. [`clients`] starts a client once
//! for each scenario, and the client starts the agent. Only rules report; what they cannot see, such as an
//! answer that never came, is the state of a scenario.
#![expect(clippy::disallowed_methods, reason = "this is where clients are started")]

use std::{
    ffi::OsString,
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use super::{
    arguments::{Completable, checked},
    check::Reporting,
    console::Console,
    exit_status::ExitStatus,
    scenarios::{describe, seconds, unknown, version, without_transcripts},
};
use crate::{
    play::{self, Face, Menu, PLAYBACK, SCENARIOS, Scenario},
    protocol::Version,
    report::TextStyle,
};

#[cfg(unix)]
mod clients;
#[cfg(unix)]
mod heard;
#[cfg(unix)]
mod recorded;
#[cfg(unix)]
mod stdio;

/// Play a strict agent for a client, record it, and check the client.
///
/// This needs no model and no key. The client starts this command as it starts any agent. Each scenario is a
/// slash command: the agent does what is legal and rare, and refuses what a rule calls an error. The chat
/// says where the client violates rules.
///
/// With CLIENT, this command starts the client, once for each scenario, and checks the recordings. The client
/// starts the agent.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = USAGE,
    after_help = HELP,
    after_long_help = LONG_HELP,
    mut_args(without_transcripts),
)]
pub(super) struct Arguments {
    /// The client's command and its arguments.
    ///
    /// In the arguments, `{agent}` becomes the command that starts the agent: one word, which is also in the
    /// variable `ACPCHECK_AGENT`. `{prompt}` becomes the text that the user types: `/` and the scenario's name.
    /// The client also gets the text as a line of its standard input.
    #[arg(value_name = "CLIENT", last = true)]
    client: Vec<OsString>,

    /// The folder for the recordings, one for each connection [default: nothing is recorded; with CLIENT, a
    /// temporary folder, which is kept if there is something to see].
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,

    /// The scenarios to play: the first prompt plays the first, the second the second, whatever their texts
    /// [default: the text of the prompt names the scenario; with CLIENT, all but the kinds of connections].
    ///
    /// Repeatable; separate several names with commas. `bare`, `login` and `older-version` are kinds of
    /// connections: one holds for all of it, so name one at most. With CLIENT, name as many as you like: each
    /// gets a connection of its own, which plays the scenario `turn`.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Completable { parse: choose, names },
        hide_possible_values = true,
    )]
    scenario: Vec<Chosen>,

    /// Play the agent's side of a recording, in any format that `check` reads.
    ///
    /// What the agent says in the recording is said when the client has said what stands before it. Session
    /// ids and the session's folder become those of the client. What the client asks beyond the recording is
    /// answered as without this option.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "require"])]
    from: Option<PathBuf>,

    /// List the scenarios, with what each needs.
    #[arg(long)]
    list: bool,

    /// Scenarios that must be done, with CLIENT: the run also fails if the client does not offer what they
    /// need, if the user denies or does not stop them, or if no prompt comes.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Completable { parse: choose, names },
        hide_possible_values = true,
    )]
    require: Vec<Chosen>,

    /// The newest version of the protocol to answer with [default: the one that the client offers].
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "2",
        value_parser = version(),
        hide_possible_values = true,
        hide_default_value = true,
    )]
    protocol: Version,

    /// How many seconds an answer may take. A person may take twenty times as long.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = checked(seconds))]
    timeout: Duration,

    /// How many seconds CLIENT has to end by itself, before it is ended [default: 2].
    #[arg(long, value_name = "SECONDS", value_parser = checked(seconds))]
    grace: Option<Duration>,

    /// What an agent is told that a client of a run starts: the number of the run, the scenario, the file for
    /// the recording, and the file whose end is the agent's end.
    #[arg(long, num_args = 4, hide = true)]
    part: Vec<OsString>,

    #[command(flatten)]
    reporting: Reporting,
}

const USAGE: &str = "\
acpcheck play [OPTIONS]
       acpcheck play [OPTIONS] -- CLIENT [ARG]...";

const HELP: &str = "\
`acpcheck play --help` shows where the command is named in editors.";

const LONG_HELP: &str = r#"Where to put the command:

  Zed, in settings.json, and JetBrains IDEs, in ~/.jetbrains/acp.json (there
  without "type"):
    "agent_servers": {
      "Check": {
        "type": "custom",
        "command": "acpcheck",
        "args": ["play", "-o", "/home/me/play/"]
      }
    }

  VS Code with the extension ACP Client, in settings.json:
    "acp.agents": {
      "Check": {
        "command": "acpcheck",
        "args": ["play", "-o", "/home/me/play/"]
      }
    }

  Emacs with agent-shell, in the variable of an agent:
    (setq agent-shell-google-gemini-acp-command
          '("acpcheck" "play" "-o" "/home/me/play/"))

  Neovim with CodeCompanion:
    adapters = { acp = { check = function()
      return require("codecompanion.adapters").extend("gemini_cli", {
        commands = { default = { "acpcheck", "play", "-o", "/home/me/play/" } },
      })
    end } }

  acpx:
    acpx --agent 'acpcheck play -o play/' exec '/permission'

  A test suite, where it starts the agent; after the tests, check the
  recordings:
    acpcheck play -o play/ --scenario permission,files
    acpcheck check play

Then type a message: the answer says how to go on. Type `/permission` for the
scenario `permission`, without `/` where the client keeps `/` for itself. `/all`
plays all that fit in one turn, `/verdict` says what was found so far.

The agent writes one file, acpcheck-play.txt, in the session's folder, and runs
`echo` in terminals of the client, where a scenario is about that. It uses no
network.

A client that takes its prompt as an argument, or from standard input, is
started once for each scenario:
  acpcheck play -- acpx --agent {agent} --approve-all exec {prompt}

Exit status without CLIENT:
  0  the connection was played to its end; `acpcheck check` judges the
     recordings
  2  could not run: wrong arguments, or standard input is a terminal

Exit status with CLIENT:
  0  no finding as severe as --fail-on says, and no scenario failed
  1  such findings, or a scenario failed: a step was not answered in time, the
     client ended within the turn, no prompt came in any scenario, or a scenario
     that --require names was not done
  2  could not run: wrong arguments, or the client cannot be started
  3  the client never sent `initialize`"#;

/// A value of `--scenario`: what the agent plays in a turn or for a connection.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Turn(&'static Scenario),
    Connection(Face),
    /// The agent plays back the recording that `--from` names.
    Playback,
}

fn choose(name: &str) -> Result<Chosen, String> {
    let face = Face::ALL.into_iter().find(|face| face.name() == name);
    let chosen = face.map(Chosen::Connection).or_else(|| play::find(name).map(Chosen::Turn));
    chosen.ok_or_else(|| unknown(name, &names()))
}

fn names() -> Vec<&'static str> {
    let connections = Face::ALL.into_iter().map(Face::name);
    SCENARIOS.iter().map(|scenario| scenario.name).chain(connections).collect()
}

impl Chosen {
    fn name(self) -> &'static str {
        match self {
            Self::Turn(scenario) => scenario.name,
            Self::Connection(face) => face.name(),
            Self::Playback => PLAYBACK,
        }
    }

    /// The name of the scenario that a turn plays. A kind of connection plays the first scenario.
    fn turn(self) -> &'static str {
        match self {
            Self::Turn(scenario) => scenario.name,
            Self::Connection(_) => SCENARIOS[0].name,
            Self::Playback => PLAYBACK,
        }
    }
}

impl Arguments {
    /// The first given option that has a meaning only with a CLIENT to start, for an error when
    /// there is none; `None` without such an option.
    #[cfg(unix)]
    fn of_runs(&self) -> Option<&'static str> {
        let is_agent_of_run = !self.part.is_empty();
        let options = [("--require", !self.require.is_empty()), ("--grace", self.grace.is_some())];
        options
            .into_iter()
            .find_map(|(name, is_given)| is_given.then_some(name))
            .or_else(|| self.reporting.of_reports())
            .filter(|_| !is_agent_of_run)
    }
}

/// What the prompts of a connection play, by `--scenario`. An error, for two kinds of connections,
/// is a sentence without a full stop.
fn menu(scenarios: &[Chosen]) -> Result<Menu, String> {
    let mut menu = Menu { has_verdicts: scenarios.is_empty(), ..Menu::default() };
    let mut faces = Vec::new();
    for chosen in scenarios {
        match chosen {
            Chosen::Turn(scenario) => menu.order.push(scenario),
            Chosen::Connection(face) => faces.push(*face),
            Chosen::Playback => {}
        }
    }
    faces.dedup();
    match faces[..] {
        [] => {}
        [face] => menu.face = face,
        [first, second, ..] => {
            let (first, second) = (first.name(), second.name());
            return Err(format!(
                "`{first}` and `{second}` are kinds of connections; choose one of them"
            ));
        }
    }
    Ok(menu)
}

/// Runs `acpcheck play`: starts a client with all scenarios, plays the agent for a client, or lists
/// the scenarios.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    if arguments.list {
        io::stdout().lock().write_all(list(console.out).as_bytes())?;
        return Ok(ExitStatus::Clean);
    }
    #[cfg(unix)]
    {
        use io::IsTerminal;

        if !arguments.client.is_empty() {
            return clients::play(arguments, console);
        }
        if let Some(option) = arguments.of_runs() {
            console.error(&format!("`{option}` needs a CLIENT"));
            return Ok(ExitStatus::Failed);
        }
        if io::stdin().is_terminal() {
            Console::print(LONG_HELP);
            console.error(
                "standard input is a terminal: write this command into the settings of a client, \
                 in place of the agent's command",
            );
            return Ok(ExitStatus::Failed);
        }
        stdio::play(arguments, console)
    }
    #[cfg(not(unix))]
    {
        console.error("`acpcheck play` does not work on Windows yet");
        Ok(ExitStatus::Failed)
    }
}

/// The text of `--list`: all scenarios and kinds of connections, with what they need.
fn list(style: TextStyle) -> String {
    let mut list = String::new();
    let either = |gate: &str| format!("`{}`", gate.replace(", ", "` or `"));
    for scenario in SCENARIOS {
        let needs = match (scenario.gate, scenario.version) {
            (["", ""], None) => String::new(),
            (["", _], Some(version)) => format!(" (version {version})"),
            ([gate, ""], None) => {
                format!(" (on version 1, needs the client's capability {})", either(gate))
            }
            ([gate, _], _) => format!(" (needs the client's capability {})", either(gate)),
        };
        describe(&mut list, style, scenario.name, &needs, [scenario.summary, scenario.look]);
    }
    for face in Face::ALL {
        const HOLDS: &str =
            "It holds for the whole connection, and is played with `--scenario` only.";
        describe(&mut list, style, face.name(), " (a kind of connection)", [face.summary(), HOLDS]);
    }
    list
}
