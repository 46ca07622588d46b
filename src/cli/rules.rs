//! `acpcheck rules`: lists all rules, as a table, as JSON, or as a page for a browser.

use std::io::{self, Write};

use super::{
    arguments::choice,
    console::Console,
    exit_status::ExitStatus,
    selector::{self, Selector},
};
use crate::{
    report::{rules, rules_page},
    rule::Rule,
    rules::CATALOGUE,
};

/// List all rules, or some.
///
/// The columns are the rule, the severity of its findings, the side that is bound (that must follow
/// the rule), the surfaces (the versions of the protocol that have the rule), and a summary.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The rules to list: a rule, such as `plan/status-regression`, or a family of rules, such as
    /// `plan` [default: all].
    #[arg(value_name = "RULE|FAMILY", value_parser = selector::PARSER, hide_possible_values = true)]
    selectors: Vec<Selector>,

    /// The format of the list.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "table",
        value_parser = choice([
            ("table", RulesFormat::Table, "For people: a line for each rule"),
            ("json", RulesFormat::Json, "For programs: everything about each rule"),
            ("html", RulesFormat::Html, "One page for a browser: each rule with an example and its findings"),
        ]),
    )]
    format: RulesFormat,
}

#[derive(Clone, Copy, Debug)]
enum RulesFormat {
    Table,
    Json,
    Html,
}

/// Runs `acpcheck rules`: prints the rules that the arguments select.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let selectors = &*arguments.selectors;
    let is_wanted =
        |rule: &&Rule| selectors.is_empty() || selectors.iter().any(|it| it.matches(rule));
    let wanted: Vec<_> = CATALOGUE.iter().copied().filter(is_wanted).collect();
    let list = match arguments.format {
        RulesFormat::Table => rules::table(&wanted, console.out),
        RulesFormat::Json => rules::json(&wanted),
        RulesFormat::Html => rules_page::page(&wanted)?,
    };
    io::stdout().lock().write_all(list.as_bytes())?;
    Ok(ExitStatus::Clean)
}
