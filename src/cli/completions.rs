//! `acpcheck completions`: prints a completion script for a shell.

use std::io::{self, Write};

use clap::Command;
use clap_complete::Shell;

use super::exit_status::ExitStatus;

/// Print a script that makes a shell complete commands, options and their values.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Where to put the scripts:
  Bash:
    acpcheck completions bash \\
      > ~/.local/share/bash-completion/completions/acpcheck
  Zsh:
    acpcheck completions zsh > \"${fpath[1]}/_acpcheck\"
  Fish:
    acpcheck completions fish > ~/.config/fish/completions/acpcheck.fish
  PowerShell:
    acpcheck completions powershell >> $PROFILE
  Elvish:
    acpcheck completions elvish >> ~/.config/elvish/rc.elv")]
pub(super) struct Arguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the completion script for the shell. `command` is the whole command line of acpcheck.
pub(super) fn run(arguments: &Arguments, mut command: Command) -> io::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, env!("CARGO_PKG_NAME"), &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitStatus::Clean)
}
