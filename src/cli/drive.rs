//! `acpcheck drive`: plays a client against a live agent, records what is said, and checks the
//! recordings.
//!
//! The [`Scenario`]s say what the client does, the [`process`] is the agent. Only rules report; what
//! they cannot see, such as an answer that never came, is the state of a scenario in the table.
#![expect(clippy::disallowed_methods, reason = "this is where agents are started")]

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
    drive::{self, Need, SCENARIOS, Scenario},
    protocol::Version,
    report::TextStyle,
};

#[cfg(unix)]
mod mcp_server;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod run;

/// Play a client against an agent, record it, and check the recordings.
///
/// This needs no editor, no model and no key. Each scenario starts the agent, has a short conversation
/// with it, and ends it. The report shows where the agent violates rules. What the agent does not
/// advertise is not tried. Sessions use a new folder, and permissions are rejected. Without --prompt,
/// only sessions that do not exist get a prompt, which the agent has to refuse.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "acpcheck drive [OPTIONS] -- AGENT [ARG]...",
    after_help = HELP,
    mut_args(without_transcripts),
)]
pub(super) struct Arguments {
    /// The agent's command and its arguments.
    #[arg(value_name = "AGENT", required_unless_present = "list", last = true)]
    agent: Vec<OsString>,

    /// The folder for the recordings, one for each scenario [default: a temporary folder, which is
    /// kept if there is something to see].
    ///
    /// `acpcheck report DIR` makes a compliance report of them. The folder must not hold recordings of
    /// an earlier run.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: Option<PathBuf>,

    /// The scenarios to play [default: all whose needs are met; `--list` shows what each needs].
    ///
    /// Repeatable; separate several names with commas.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Completable { parse: scenario, names },
        hide_possible_values = true,
    )]
    scenario: Vec<&'static Scenario>,

    /// List the scenarios, with what each needs.
    #[arg(long)]
    list: bool,

    /// Scenarios that must be done: the run also fails if the agent refuses them or does not offer
    /// what they need.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = Completable { parse: scenario, names },
        hide_possible_values = true,
    )]
    require: Vec<&'static Scenario>,

    /// Play the scenarios that need a prompt, too, with this text. The agent then uses its model.
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,

    /// A prompt that keeps the agent at work for some seconds, for the scenarios that interrupt it.
    #[arg(long, value_name = "TEXT")]
    long_prompt: Option<String>,

    /// Log in first, with this authentication method of the agent.
    #[arg(long, value_name = "METHOD")]
    auth: Option<String>,

    /// Grant permissions. Without it, they are rejected.
    #[arg(long)]
    allow: bool,

    /// The version of the protocol to offer.
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "1",
        value_parser = version(),
        hide_possible_values = true,
    )]
    protocol: Version,

    /// The working directory of the sessions [default: a new folder, which is removed].
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,

    /// Set a variable in the agent's environment.
    #[arg(long, value_name = "NAME=VALUE", value_parser = checked(variable))]
    env: Vec<(OsString, OsString)>,

    /// How many seconds an answer may take.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = checked(seconds))]
    timeout: Duration,

    /// How many seconds the answer to `initialize` may take.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = checked(seconds))]
    start_timeout: Duration,

    /// How many seconds the agent has to end by itself, before it is ended.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = checked(seconds))]
    grace: Duration,

    #[command(flatten)]
    reporting: Reporting,
}

const HELP: &str = "\
Exit status:
  0  no finding as severe as --fail-on says, and no scenario failed
  1  such findings, or a scenario failed: a request was not answered in time,
     the agent ended by itself, a prompt or the login was refused, or a scenario
     that --require names was not done
  2  could not run: wrong arguments, or the agent cannot be started
  3  `initialize` was never answered, so only what the agent wrote was checked

Examples:
  acpcheck drive -- my-agent --acp
  acpcheck drive --prompt 'Say hello.' -o recordings -- my-agent --acp
  acpcheck report recordings -o compliance.html";

fn variable(text: &str) -> Result<(OsString, OsString), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

fn scenario(name: &str) -> Result<&'static Scenario, String> {
    drive::find(name).ok_or_else(|| unknown(name, &names()))
}

fn names() -> Vec<&'static str> {
    SCENARIOS.iter().map(|scenario| scenario.name).collect()
}

impl Arguments {
    /// The scenarios to play, in the order of `SCENARIOS`. Fails when a scenario that the user
    /// names lacks an option that it needs; the error is a sentence without a full stop.
    fn scenarios(&self) -> Result<Vec<&'static Scenario>, String> {
        let is_named = |scenario: &Scenario, names: &[&Scenario]| {
            names.iter().any(|named| named.name == scenario.name)
        };
        let mut chosen = Vec::new();
        for scenario in SCENARIOS {
            let is_required = is_named(scenario, &self.require);
            let is_chosen = self.scenario.is_empty() || is_named(scenario, &self.scenario);
            match self.lacks(scenario) {
                None if is_chosen || is_required => chosen.push(*scenario),
                Some(option) if is_required || is_named(scenario, &self.scenario) => {
                    return Err(format!("the scenario `{}` needs `{option}`", scenario.name));
                }
                _ => {}
            }
        }
        Ok(chosen)
    }

    /// The names of the scenarios that are not among `chosen` or not for the protocol version, each
    /// with the reason, a sentence without a full stop.
    #[cfg(unix)]
    fn left_out(&self, chosen: &[&Scenario]) -> Vec<(&'static str, String)> {
        let why = |scenario: &Scenario| {
            if chosen.iter().all(|it| it.name != scenario.name) {
                return Some(match self.lacks(scenario) {
                    Some(option) => format!("it needs {option}"),
                    None => "it was not chosen".to_owned(),
                });
            }
            match drive::not_offered(scenario, self.protocol)? {
                drive::State::NotOffered(why) => Some(why),
                _ => None,
            }
        };
        SCENARIOS.iter().filter_map(|it| Some((it.name, why(it)?))).collect()
    }

    /// The first option, such as `--prompt TEXT`, that a scenario needs and the user has not given;
    /// `None` when nothing is missing.
    fn lacks(&self, scenario: &Scenario) -> Option<&'static str> {
        match scenario.needs {
            Need::Prompt | Need::PromptAndAllow if self.prompt.is_none() => Some(PROMPT),
            Need::PromptAndAllow if !self.allow => Some("--allow"),
            Need::LongPrompt if self.long_prompt.is_none() => Some(LONG_PROMPT),
            Need::Auth if self.auth.is_none() => Some(AUTH),
            _ => None,
        }
    }
}

const PROMPT: &str = "--prompt TEXT";
const LONG_PROMPT: &str = "--long-prompt TEXT";
const AUTH: &str = "--auth METHOD";

/// Runs a part of `drive` that is a process of its own, such as the MCP server, if the arguments of
/// this process name one. Returns `None` for the command line of a user.
#[cfg(unix)]
pub(super) fn run_part(arguments: &[OsString]) -> Option<ExitStatus> {
    let (part, arguments) = arguments.get(1..)?.split_first()?;
    match part.to_str()? {
        super::guard::PART => Some(super::guard::run()),
        mcp_server::PART => Some(mcp_server::run(arguments)),
        _ => None,
    }
}

#[cfg(not(unix))]
pub(super) fn run_part(_: &[OsString]) -> Option<ExitStatus> {
    None
}

/// Runs `acpcheck drive`: plays the scenarios with the agent, or lists them with `--list`.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    if arguments.list {
        io::stdout().lock().write_all(list(console.out).as_bytes())?;
        return Ok(ExitStatus::Clean);
    }
    #[cfg(unix)]
    {
        run::play(arguments, console)
    }
    #[cfg(not(unix))]
    {
        console.error("`acpcheck drive` does not work on Windows yet");
        Ok(ExitStatus::Failed)
    }
}

/// The text of `drive --list`: each scenario with its summary, its explanation and what it needs.
fn list(style: TextStyle) -> String {
    let mut list = String::new();
    for scenario in SCENARIOS {
        let needs = match scenario.needs {
            Need::Nothing => String::new(),
            Need::Prompt => format!(" (needs `{PROMPT}`)"),
            Need::LongPrompt => format!(" (needs `{LONG_PROMPT}`)"),
            Need::Auth => format!(" (needs `{AUTH}`)"),
            Need::PromptAndAllow => format!(" (needs `{PROMPT}` and `--allow`)"),
        };
        let texts = [scenario.summary, scenario.explanation];
        describe(&mut list, style, scenario.name, &needs, texts);
    }
    list
}
