//! `acpcheck rules`: lists all rules, as a table or as JSON.

use std::io::{self, Write};

use super::{arguments::choice, console::Console, exit_status::ExitStatus};
use crate::report::rules;

/// List all rules.
///
/// The columns are the rule, the severity of its findings, the side that is bound (that must follow
/// the rule), the surfaces (the versions of the protocol that have the rule), and a summary.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The format of the list.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "table",
        value_parser = choice([
            ("table", RulesFormat::Table, "For people: a line for each rule"),
            ("json", RulesFormat::Json, "For programs: everything about each rule"),
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
