//! `acpcheck man`: prints a page of the manual.

use std::io::{self, Write};

use clap::Command;

use super::{console::Console, exit_status::ExitStatus, help};

/// Print a page of the manual, in the format of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
To read a page:
  acpcheck man check | man -l -

To install the pages, those of the other commands in the same way:
  acpcheck man > DIR/man1/acpcheck.1
  acpcheck man check > DIR/man1/acpcheck-check.1")]
pub(super) struct Arguments {
    /// The command; without it, the page is about all of acpcheck.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the manual page of a command. `command` is the whole command line of acpcheck.
pub(super) fn run(
    arguments: &Arguments,
    mut command: Command,
    console: &Console,
) -> io::Result<ExitStatus> {
    command.build();
    if let Some(name) = &arguments.command {
        let Some(known) = command.find_subcommand(name) else {
            console.error(&help::unknown(&command, name, &[]));
            return Ok(ExitStatus::Failed);
        };
        command = known.clone();
    }
    let mut page = Vec::new();
    // The page has no date: it would be that of the build.
    clap_mangen::Man::new(command).manual("acpcheck manual").render(&mut page)?;
    io::stdout().lock().write_all(&page)?;
    Ok(ExitStatus::Clean)
}
