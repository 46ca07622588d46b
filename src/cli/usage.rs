//! What clap says instead of arguments: help, the version, and errors.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::{
    console::{Colors, Console},
    exit_status::ExitStatus,
};
use crate::{
    protocol::schema::nearest,
    report::{TextStyle, UNBROKEN},
    source::printable,
};

/// The arguments with the flags `-q` and `-v` moved from before the command to behind it, where
/// clap accepts them.
pub(super) fn ordered(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.into_iter().collect();
    let is_flag = |argument: &OsString| {
        let text = argument.to_str().unwrap_or_default();
        let letters = text.strip_prefix('-').unwrap_or_default();
        let is_short = !letters.is_empty() && letters.chars().all(|it| matches!(it, 'q' | 'v'));
        is_short || matches!(text, "--quiet" | "--verbose")
    };
    let mut flags = Vec::new();
    let mut at = 1;
    while let Some(argument) =
        arguments.get(at).filter(|it| it.as_encoded_bytes().starts_with(b"-"))
    {
        if is_flag(argument) {
            flags.push(at);
        }
        at += 1 + usize::from(argument == "--color");
    }
    // Without a command, clap says what is missing.
    if at < arguments.len() {
        let moved: Vec<_> = flags.into_iter().rev().map(|flag| arguments.remove(flag)).collect();
        let behind = at - moved.len() + 1;
        arguments.splice(behind..behind, moved.into_iter().rev());
    }
    arguments
}

/// Prints help or the version on standard output, or an error of clap on standard error. Arguments
/// in an error are made printable.
pub(super) fn report(error: clap::Error) -> io::Result<ExitStatus> {
    let console = Console::new(Colors::default());
    let help = |style: TextStyle| {
        let help = error.render();
        let help = if style.color { help.ansi().to_string() } else { help.to_string() };
        help.replace(UNBROKEN, " ")
    };
    if !error.use_stderr() {
        io::stdout().lock().write_all(help(console.out).as_bytes())?;
        return Ok(ExitStatus::Clean);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // There is no other place to report a failure to.
        let _ = io::stderr().write_all(help(console.err).as_bytes());
        return Ok(ExitStatus::Failed);
    }
    let hint = hint(&error);
    let text = printable_error(error).render().to_string();
    let text = text.replace("unrecognized subcommand", "unknown command");
    let text = text.replace("a similar subcommand exists", "a similar command exists");
    let (message, rest) = text.trim_end().split_once('\n').unwrap_or((text.trim_end(), ""));
    console.error(message.trim_start_matches("error: "));
    let mut was_empty = false;
    // Clap writes a tip also where there is no suggestion.
    let hint = hint.map(|hint| format!("\n  tip: {hint}\n"));
    let is_tip = |line: &str| line.trim_start().starts_with("tip:");
    let own = hint.iter().flat_map(|hint| hint.lines());
    let rest =
        rest.lines().filter(|line| line.trim() != "tip:" && !(hint.is_some() && is_tip(line)));
    for line in own.chain(rest) {
        let line = printable(line);
        let text = line.trim_start();
        if std::mem::replace(&mut was_empty, text.is_empty()) && text.is_empty() {
            continue;
        }
        let indent = &line[..line.len() - text.len()];
        Console::print(&console.err.wrap(indent, &format!("{indent}  "), text));
    }
    Ok(ExitStatus::Failed)
}

/// What to write instead of an argument that the command does not take, where clap cannot know it; a
/// sentence without a full stop.
fn hint(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let usage = error.get(ContextKind::Usage)?.to_string();
    let is_of = |command: &str| usage.contains(&format!("acpcheck {command} "));
    match &**argument {
        "-o" | "--output" if is_of("check") => {
            Some("write a report to a file with --report FORMAT=FILE")
        }
        "-o" | "--output" => Some("write the output to a file with `> FILE`"),
        _ if is_of("drive") && !argument.starts_with('-') => {
            Some("write `--` in front of the agent's command")
        }
        _ => None,
    }
}

/// The error of clap with all texts made printable that come from arguments.
fn printable_error(error: clap::Error) -> clap::Error {
    let shown = |text: &str| printable(text).into_owned();
    let made: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| {
            let value = match value {
                ContextValue::String(text) => ContextValue::String(shown(text)),
                ContextValue::Strings(texts) => {
                    ContextValue::Strings(texts.iter().map(|text| shown(text)).collect())
                }
                // Suggestions, but not the usage, which has lines of its own.
                ContextValue::StyledStrs(texts) => ContextValue::StyledStrs(
                    texts.iter().map(|text| shown(&text.to_string()).into()).collect(),
                ),
                _ => return None,
            };
            Some((kind, value))
        })
        .collect();
    let suggested = suggested_value(&error);
    let mut error = error;
    for (kind, value) in made {
        error.insert(kind, value);
    }
    if let Some(value) = suggested {
        error.insert(ContextKind::SuggestedValue, value);
    }
    error
}

/// The value to suggest instead of a wrong one, since clap also suggests values that differ too
/// much. `None` when clap suggests none.
fn suggested_value(error: &clap::Error) -> Option<ContextValue> {
    error.get(ContextKind::SuggestedValue)?;
    let near = match (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue)) {
        (Some(ContextValue::String(value)), Some(ContextValue::Strings(valid))) => {
            nearest(value, valid.iter().map(String::as_str))
        }
        _ => None,
    };
    Some(near.map_or(ContextValue::None, |near| ContextValue::String(near.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_may_stand_before_the_command() {
        for (given, expected) in [
            ("-qq check x", "check -qq x"),
            ("-q --color never --verbose check -q x", "--color never check -q --verbose -q x"),
            ("--color=never check -q", "--color=never check -q"),
            ("-q", "-q"),
            ("-q --help", "-q --help"),
            ("check -- -q", "check -- -q"),
        ] {
            let line = |text: &str| -> Vec<OsString> {
                std::iter::once("acpcheck").chain(text.split(' ')).map(Into::into).collect()
            };
            assert_eq!(ordered(line(given)), line(expected), "{given}");
        }
    }
}
