//! `acpcheck record`: records the connection between a client and an agent.
//!
//! The agent takes the place of this process, so that ids, signals, exit status and standard error
//! are its own. A side process passes the bytes on and records them.
//!
//! ```text
//! client ─▶ side process ─▶ agent         record ─▶ middle ─▶ side process
//!    ◀──── (pump, writer) ◀───               └─ exec ─▶ agent
//! ```
#![expect(clippy::disallowed_methods, reason = "this is where recordings and processes are made")]

use std::{ffi::OsString, path::PathBuf};

use super::{console::Console, exit_status::ExitStatus};

#[cfg(unix)]
mod launch;
#[cfg(unix)]
pub(super) mod place;
#[cfg(unix)]
mod pump;
#[cfg(unix)]
mod side;
#[cfg(unix)]
pub(super) mod writer;

/// Record the connection of an agent, for `acpcheck check`.
///
/// Write it in front of the agent's command. The client notices nothing: the agent takes the place of
/// this command, with its process id, signals, exit status and standard error.
#[derive(Debug, clap::Args)]
#[command(override_usage = "acpcheck record -o PATH [--] AGENT [ARG]...", after_long_help = HELP)]
pub(super) struct Arguments {
    /// The file to write, or a folder, which gets a new file for each connection.
    ///
    /// PATH is a folder if one is there or if it ends in `/`; a missing folder is created. No file is
    /// overwritten: if there is one with the same name, `-2` is added to the new name.
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    output: PathBuf,

    /// The agent's command and its arguments.
    #[arg(
        value_name = "AGENT",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    agent: Vec<OsString>,
}

const HELP: &str = r#"Where to put the command:

  Zed, in settings.json, and JetBrains IDEs, in ~/.jetbrains/acp.json (there
  without "type"):
    "agent_servers": {
      "Recorded": {
        "type": "custom",
        "command": "acpcheck",
        "args": ["record", "-o", "/home/me/recordings/", "--", "my-agent"]
      }
    }

  VS Code with the extension ACP Client, in settings.json:
    "acp.agents": {
      "Recorded": {
        "command": "acpcheck",
        "args": ["record", "-o", "/home/me/recordings/", "--", "my-agent"]
      }
    }

  Emacs with agent-shell; each agent has such a variable:
    (setq agent-shell-google-gemini-acp-command
          '("acpcheck" "record" "-o" "/home/me/recordings/" "--"
            "gemini" "--acp"))

  Neovim with CodeCompanion:
    adapters = { acp = { gemini_cli = function()
      return require("codecompanion.adapters").extend("gemini_cli", {
        commands = { default = { "acpcheck", "record",
          "-o", "/home/me/recordings/", "--", "gemini", "--acp" } },
      })
    end } }

  acpx:
    acpx --agent 'acpcheck record -o recordings/ -- my-agent' exec 'Hello'

  A test suite, where it starts the agent; after the tests, check the
  recordings:
    acpcheck record -o recordings/ -- my-agent
    acpcheck check recordings

While a recording grows, `acpcheck check` with the option --watch shows what is
new in it. To share a recording, see `acpcheck help redact`.

What is different from an agent that is not recorded:
  A second process, beside the agent, makes the recording. A signal to a whole
  control group (systemd, `docker stop`) reaches this process, too. Its parent
  becomes the process that adopts orphans (init). The agent starts with SIGPIPE not ignored and with no signal blocked. With a limit on
  file sizes (`ulimit -f`), the recording ends at the limit. The exit status of
  the agent may arrive some milliseconds before the end of its standard output:
  read the output to its end.

The recording has a line for each line of the connection, with direction and
time; `acpcheck formats acpcheck-record` says more. It contains everything that
the two sides said, which may be secret. Only the owner of the file can read it.

Exit status: that of the agent; before it has started:
  2    wrong arguments, or the recording cannot be made
  126  the agent cannot be executed
  127  the agent is not found"#;

/// The hidden command name of the process that starts the recording process and ends at once, so
/// that the agent gets no child.
#[cfg(unix)]
const MIDDLE: &str = "record-start";
/// The hidden command name of the process that records the connection.
#[cfg(unix)]
const SIDE: &str = "record-side";

/// Runs a part of `record` that is a process of its own, if the arguments of this process name one.
/// Returns `None` for the command line of a user.
#[cfg(unix)]
pub(super) fn run_part(arguments: &[OsString]) -> Option<ExitStatus> {
    let (part, arguments) = arguments.get(1..)?.split_first()?;
    match part.to_str()? {
        MIDDLE => Some(side::middle(arguments)),
        SIDE => Some(side::side(arguments)),
        _ => None,
    }
}

#[cfg(not(unix))]
pub(super) fn run_part(_: &[OsString]) -> Option<ExitStatus> {
    None
}

/// Records the connection of the agent, whose place this process takes. Returns only when that
/// fails, or when the agent could not be started.
#[cfg(unix)]
pub(super) fn run(arguments: &Arguments, console: &Console) -> ExitStatus {
    use std::io::{self, IsTerminal};

    if let Err(why) = check_agent(&arguments.agent) {
        console.error(&why);
        return ExitStatus::Failed;
    }
    if io::stdin().is_terminal() || io::stdout().is_terminal() {
        console.note("nothing is recorded: standard input or output is a terminal");
        return ExitStatus::NotStarted(launch::become_agent(&arguments.agent, None, console));
    }
    if let Err(why) = check_process(std::process::id()) {
        console.error(&why);
        return ExitStatus::Failed;
    }
    launch::record(&arguments.output, &arguments.agent, console)
}

/// Fails when the agent's name begins with `-`, since it is then a mistyped option of `record`.
#[cfg(unix)]
fn check_agent(agent: &[OsString]) -> Result<(), String> {
    match agent.first() {
        Some(name) if name.as_encoded_bytes().starts_with(b"-") => {
            Err(format!("`record` has no option `{}`", name.display()))
        }
        _ => Ok(()),
    }
}

/// Fails for process 1 of a container: when it ends, the system kills the recording process before
/// the last bytes are written.
#[cfg(unix)]
fn check_process(id: u32) -> Result<(), String> {
    if id == 1 {
        let why = "cannot record as process 1 of a container; start the container with `--init`";
        return Err(why.to_owned());
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn run(_: &Arguments, console: &Console) -> ExitStatus {
    console.error("`acpcheck record` does not work on Windows yet; the agent is not started");
    ExitStatus::Failed
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn process_1_is_refused() {
        assert!(check_process(1).is_err_and(|why| why.contains("--init")));
        assert_eq!(check_process(2), Ok(()));
    }

    #[test]
    fn options_are_not_taken_for_the_agent() {
        let agent = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert!(check_agent(&agent(&["--acp"])).is_err_and(|why| why.contains("`--acp`")));
        assert_eq!(check_agent(&agent(&["my-agent", "--acp"])), Ok(()));
    }
}
