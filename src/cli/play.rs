//! `acpcheck play`: plays a strict agent for a live client, records what is said, and checks the client.
//!
//! The [`Scenario`]s say what the agent does, [`stdio`] is its connection. Only rules report; what they
//! cannot see, such as an answer that never came, is the state of a scenario.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use super::{
    arguments::{Completable, checked},
    check::Reporting,
    console::Console,
    exit_status::ExitStatus,
    scenarios::{describe, seconds, unknown, version},
};
use crate::{
    play::{self, Face, Menu, SCENARIOS, Scenario},
    protocol::Version,
    report::TextStyle,
};

#[cfg(unix)]
mod stdio;

/// Play a strict agent for a client, record it, and check the client.
///
/// This needs no model and no key. The client starts this command as it starts any agent. Each scenario is a
/// slash command: the agent does what is legal and rare, and refuses what a rule calls an error. The chat
/// says where the client violates rules.
#[derive(Debug, clap::Args)]
#[command(override_usage = "acpcheck play [OPTIONS]", after_help = HELP, after_long_help = LONG_HELP)]
pub(super) struct Arguments {
    /// The folder for the recordings, one for each connection [default: nothing is recorded].
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,

    /// The scenarios to play: the first prompt plays the first, the second the second, whatever their texts
    /// [default: the text of the prompt names the scenario].
    ///
    /// `bare`, `login` and `older-version` are kinds of connections: they hold for all of it.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Completable { parse: choose, names },
        hide_possible_values = true,
    )]
    scenario: Vec<Chosen>,

    /// List the scenarios.
    #[arg(long)]
    list: bool,

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

    #[command(flatten)]
    reporting: Reporting,
}

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

Exit status:
  0  the connection was played to its end; `acpcheck check` judges the
     recordings
  2  could not run: wrong arguments, or standard input is a terminal"#;

/// What `--scenario` names.
#[derive(Clone, Copy, Debug)]
enum Chosen {
    Turn(&'static Scenario),
    Connection(Face),
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

impl Arguments {
    fn menu(&self) -> Menu {
        let turns = self.scenario.iter().filter_map(|chosen| match chosen {
            Chosen::Turn(scenario) => Some(*scenario),
            Chosen::Connection(_) => None,
        });
        let face = self.scenario.iter().find_map(|chosen| match chosen {
            Chosen::Turn(_) => None,
            Chosen::Connection(face) => Some(*face),
        });
        Menu {
            face: face.unwrap_or_default(),
            order: turns.collect(),
            has_verdicts: self.scenario.is_empty(),
        }
    }

    /// What the recordings say of the scenarios.
    fn scenario_names(&self) -> String {
        let names: Vec<_> = self
            .scenario
            .iter()
            .map(|chosen| match chosen {
                Chosen::Turn(scenario) => scenario.name,
                Chosen::Connection(face) => face.name(),
            })
            .collect();
        if names.is_empty() { "by-prompt".to_owned() } else { names.join(",") }
    }
}

/// Plays the agent, or lists the scenarios.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    if arguments.list {
        io::stdout().lock().write_all(list(console.out).as_bytes())?;
        return Ok(ExitStatus::Clean);
    }
    #[cfg(unix)]
    {
        use io::IsTerminal;

        if io::stdin().is_terminal() {
            console
                .error("standard input is a terminal; a client starts this command, not a person");
            Console::print(LONG_HELP);
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

/// The scenarios, for people.
fn list(style: TextStyle) -> String {
    let mut list = String::new();
    for scenario in SCENARIOS {
        let needs = match (scenario.gate[0], scenario.version) {
            ("", None) => String::new(),
            ("", Some(version)) => format!(" (version {version})"),
            (gate, _) => format!(" (needs the client's capability `{gate}`)"),
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
