//! `acpcheck rules`: lists all rules, as a table or as JSON.

use std::io::{self, Write};

use super::{arguments::choice, console::Console, exit_status::ExitStatus};
use crate::report::rules;

/// List all rules.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// How to write the list.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "table",
        value_parser = choice([
            ("table", RulesFormat::Table, "A line each, for people"),
            ("json", RulesFormat::Json, "All that is known about each, for programs"),
        ]),
    )]
    format: RulesFormat,
}

#[derive(Clone, Copy, Debug)]
enum RulesFormat {
    Table,
    Json,
}

/// Prints the list.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let list = match arguments.format {
        RulesFormat::Table => rules::table(console.out),
        RulesFormat::Json => rules::json(),
    };
    io::stdout().lock().write_all(list.as_bytes())?;
    Ok(ExitStatus::Clean)
}
