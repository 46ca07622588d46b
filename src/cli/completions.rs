//! `acpcheck completions`: what shells complete.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::Outcome;

/// Print a script that makes a shell complete commands, options and their values.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Where the scripts go:
  bash        acpcheck completions bash > ~/.local/share/bash-completion/completions/acpcheck
  zsh         acpcheck completions zsh > \"${fpath[1]}/_acpcheck\"
  fish        acpcheck completions fish > ~/.config/fish/completions/acpcheck.fish
  powershell  acpcheck completions powershell >> $PROFILE
  elvish      acpcheck completions elvish >> ~/.config/elvish/rc.elv")]
pub(super) struct Arguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let mut script = Vec::new();
    let mut command = super::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, env!("CARGO_PKG_NAME"), &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Outcome::Clean)
}
