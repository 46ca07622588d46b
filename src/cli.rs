//! The command line: the only place that reads files, prints, and knows clap.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, IsTerminal, Write},
    process::ExitCode,
    sync::LazyLock,
};

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use crate::{
    protocol::{
        Edition,
        schema::{Upstream, upstream},
    },
    report::Look,
    source::printable,
};

mod baseline;
mod check;
mod checksum;
mod completions;
mod config;
mod explain;
mod formats;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzed;
mod input;
mod interrupts;
mod judging;
mod man;
mod output;
mod packed;
mod plans;
mod pool;
mod progress;
mod reading;
mod rendered;
mod report;
mod rules;
mod selection;
mod temporary;
mod watch;

/// How a run ended; documented in the README, and stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was found at or above the threshold.
    Clean,
    /// Something was.
    Findings,
    /// The command could not be carried out: wrong arguments, output that cannot be written.
    Failed,
    /// Some input could not be read or is no transcript; the others were judged.
    Unreadable,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Clean => 0,
            Outcome::Findings => 1,
            Outcome::Failed => 2,
            Outcome::Unreadable => 3,
        })
    }
}

/// What `--version` prints behind the name: this program's version, and the revision of the protocol
/// that it judges by.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let Upstream { package, date, .. } = upstream();
        let [first, .., last] = Edition::ALL;
        let own = env!("CARGO_PKG_VERSION");
        format!("{own} (ACP schemas of {date}: {package}; editions {first} to {last})")
    });
    &VERSION
}

/// Check recorded Agent Client Protocol traffic for conformance.
///
/// acpcheck reads transcripts of what a client and an agent said to each other and reports, message
/// by message, what the protocol does not allow.
#[derive(Debug, Parser)]
#[command(
    version = version(),
    disable_help_subcommand = true,
    after_help = "\
Exit status:
  0  nothing at or above the --fail-on threshold
  1  findings
  2  could not run: wrong arguments, output not writable
  3  some input unreadable or no transcript; the others were checked"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    colors: Colors,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Box<check::Arguments>),
    Completions(completions::Arguments),
    Explain(explain::Arguments),
    Formats(formats::Arguments),
    Man(man::Arguments),
    Plans(plans::Arguments),
    Report(Box<report::Arguments>),
    Rules(rules::Arguments),
}

#[derive(Clone, Copy, Debug, Args)]
struct Colors {
    /// When to use colors.
    ///
    /// `auto` means on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        value_parser = choice([
            ("auto", Color::Auto, ""),
            ("always", Color::Always, ""),
            ("never", Color::Never, ""),
        ]),
    )]
    color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Color {
    Auto,
    Always,
    Never,
}

/// Runs the program with these arguments, the first of which is its name.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Outcome {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return report(&error),
    };
    let console = Console::new(arguments.colors.color);
    let result = match arguments.command {
        Command::Check(arguments) => check::run(&arguments, &console),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments, &console),
        Command::Formats(arguments) => formats::run(&arguments, &console),
        Command::Man(arguments) => man::run(&arguments, &console),
        Command::Plans(arguments) => plans::run(&arguments, &console),
        Command::Report(arguments) => report::run(&arguments, &console),
        Command::Rules(arguments) => rules::run(&arguments, &console),
    };
    match result {
        Ok(outcome) => outcome,
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Outcome::Clean,
        Err(error) => {
            console.error(&format!("cannot write the output: {error}"));
            Outcome::Failed
        }
    }
}

/// Prints what clap has to say: help and version to standard output, errors to standard error.
fn report(error: &clap::Error) -> Outcome {
    // Nothing can be done about a terminal that cannot be written to.
    let _ = error.print();
    if error.use_stderr() { Outcome::Failed } else { Outcome::Clean }
}

/// What is on the other side of standard output and standard error.
#[derive(Clone, Copy, Debug)]
struct Console {
    out: Look,
    err: Look,
}

impl Console {
    fn new(color: Color) -> Self {
        Self {
            out: look(color, io::stdout().is_terminal()),
            err: look(color, io::stderr().is_terminal()),
        }
    }

    /// Says why something could not be done, in one line: what it names may have come from anywhere.
    fn error(&self, message: &str) {
        let head = self.err.paint("error:", owo_colors::Style::new().red().bold());
        Self::tell(&format!("{head} {}", printable(message)));
    }

    /// Says why an input could not be read, or not to its end.
    fn unread(&self, name: &str, reason: &str) {
        self.error(&format!("`{name}`: {reason}"));
    }

    /// Says what the user may want to know, in one line.
    fn note(&self, message: &str) {
        let head = self.err.paint("note:", owo_colors::Style::new().cyan().bold());
        Self::tell(&format!("{head} {}", printable(message)));
    }

    /// Clears the terminal, if standard output is one.
    fn renew(&self) {
        if self.out.columns.is_some() {
            // The screen, what was scrolled off it, and back to its beginning.
            let _ = write!(io::stdout(), "\x1b[2J\x1b[3J\x1b[H");
            let _ = io::stdout().flush();
        }
    }

    fn tell(message: &str) {
        // Nothing can be done about a standard error that cannot be written to.
        let _ = writeln!(io::stderr(), "{message}");
    }
}

fn look(color: Color, is_terminal: bool) -> Look {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let color = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            is_terminal && !set("NO_COLOR") && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    };
    let columns = if is_terminal {
        terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
    } else {
        None
    };
    Look { color, columns }
}

/// Takes what `parse` takes; these are the names that shells complete.
#[derive(Clone)]
struct Completable<T> {
    parse: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Completable<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// Takes one of the names, and explains each in the long help.
fn choice<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, T, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<_> = choices.into_iter().collect();
    let values = choices.iter().map(|(name, _, help)| {
        let value = PossibleValue::new(*name);
        if help.is_empty() { value } else { value.help(*help) }
    });
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(move |chosen| {
        let choice = choices.iter().find(|(name, _, _)| *name == chosen);
        choice.map(|(_, value, _)| value.clone()).ok_or("no such choice")
    })
}
