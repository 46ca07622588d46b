//! The command line: parses arguments, runs one command, and returns how the run ended.
//!
//! Only this module and its children open files, print, and use clap. Each command is a module with
//! its `Arguments` and a function `run`.

use std::{
    ffi::OsString,
    io::{self, Write as _},
    panic::{self, PanicHookInfo},
    sync::LazyLock,
};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::{
    protocol::{
        Edition,
        schema::{Upstream, upstream},
    },
    source::printable,
};

mod arguments;
mod audit;
mod baseline;
mod bounded;
mod check;
mod checksum;
#[cfg(unix)]
mod child;
mod completions;
mod config;
mod console;
mod decompress;
mod diff;
mod drive;
mod exit_status;
mod explain;
mod folders;
mod formats;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzed;
#[cfg(unix)]
mod guard;
mod help;
mod identity;
mod input;
mod interrupts;
mod man;
mod open_recording;
mod options;
mod output;
mod overwrite_guard;
mod plans;
mod play;
mod pool;
mod progress;
mod reading;
mod record;
mod redact;
mod reduce;
mod report;
mod requirements;
mod rules;
mod scenarios;
mod selector;
mod sequence;
mod shown;
mod stack;
mod stories;
mod temporary;
mod toml_errors;
mod usage;
mod watch;
mod workload;

use arguments::{Completable, choice};
use console::{Colors, Console};
pub use exit_status::ExitStatus;

/// The text of `--version` after the name: the version of acpcheck, then the revision and the
/// editions of the protocol that it knows.
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
/// acpcheck reads transcripts (recordings of the messages between a client and an agent). It reports,
/// message by message, what the protocol does not allow.
#[derive(Debug, Parser)]
#[command(
    version = version(),
    bin_name = env!("CARGO_PKG_NAME"),
    disable_help_subcommand = true,
    after_help = "\
Exit status:
  0  no finding as severe as --fail-on says
  1  such findings
  2  could not run: wrong arguments, or the output cannot be written
  3  some input cannot be read or is not a transcript, or a folder has no
     transcript; the other inputs were checked

`acpcheck help COMMAND` explains a command, `acpcheck help terms` the words
that acpcheck uses."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    colors: Colors,
}

#[derive(Debug, Subcommand)]
enum Command {
    Audit(Box<audit::Arguments>),
    Check(Box<check::Arguments>),
    Completions(completions::Arguments),
    Diff(Box<diff::Arguments>),
    Drive(Box<drive::Arguments>),
    Explain(explain::Arguments),
    Formats(formats::Arguments),
    Help(help::Arguments),
    Man(man::Arguments),
    Plans(plans::Arguments),
    Play(Box<play::Arguments>),
    Record(record::Arguments),
    Redact(redact::Arguments),
    Reduce(Box<reduce::Arguments>),
    Report(Box<report::Arguments>),
    Requirements(requirements::Arguments),
    Rules(rules::Arguments),
}

/// Runs acpcheck with the arguments of the command line, of which the first is the program's name.
/// Returns the exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitStatus {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let of_part = record::run_part(&arguments).or_else(|| drive::run_part(&arguments));
    if let Some(outcome) = of_part {
        return outcome;
    }
    panic::set_hook(Box::new(say_of_panic));
    let arguments = usage::ordered(arguments);
    interrupts::survive_long_files();
    stack::with_room(|| outcome(&arguments))
}

/// Reports a panic as a bug of acpcheck on standard error. Its text is made printable, since it may
/// hold text of a transcript.
fn say_of_panic(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let why = payload.downcast_ref::<String>().map(String::as_str);
    let why = why.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
    let text = printable(why);
    // There is no other place to report a failure to.
    let _ = writeln!(
        io::stderr(),
        "acpcheck: this is a bug in acpcheck: {text}{place}\n\
         Please report it, with the command and, if you can, the transcript."
    );
}

fn outcome(arguments: &[OsString]) -> ExitStatus {
    let parsed = command().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
    let (console, result) = match parsed {
        Ok(Arguments { command, colors }) => {
            let console = Console::new(colors);
            (console, run(command, &console))
        }
        Err(error) => {
            let console = Console::new(Colors::default());
            let reported = usage::report(error);
            if arguments.len() < 2 {
                check::hint_at_transcripts(&console);
            }
            (console, reported)
        }
    };
    match result {
        Ok(outcome) => outcome,
        // The reader of the output has closed it: `acpcheck … | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitStatus::Clean,
        Err(error) => {
            console.error(&format!("cannot write the output: {error}"));
            ExitStatus::Failed
        }
    }
}

/// The command line of acpcheck for clap, with help texts that fit the terminal.
fn command() -> clap::Command {
    let style = Console::new(Colors::default()).out;
    help::grouped(help::fitted(Arguments::command(), style.page()), style.page())
}

fn run(command: Command, console: &Console) -> io::Result<ExitStatus> {
    match command {
        Command::Audit(arguments) => audit::run(&arguments, console),
        Command::Check(arguments) => check::run(&arguments, console),
        Command::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Command::Diff(arguments) => diff::run(&arguments, console),
        Command::Drive(arguments) => drive::run(&arguments, console),
        Command::Explain(arguments) => explain::run(&arguments, console),
        Command::Formats(arguments) => formats::run(&arguments, console),
        Command::Help(arguments) => help::run(&arguments, self::command(), console),
        Command::Man(arguments) => man::run(&arguments, Arguments::command(), console),
        Command::Plans(arguments) => plans::run(&arguments, console),
        Command::Play(arguments) => play::run(&arguments, console),
        Command::Record(arguments) => Ok(record::run(&arguments, console)),
        Command::Redact(arguments) => redact::run(&arguments, console),
        Command::Reduce(arguments) => reduce::run(&arguments, console),
        Command::Report(arguments) => report::run(&arguments, console),
        Command::Requirements(arguments) => requirements::run(&arguments, console),
        Command::Rules(arguments) => rules::run(&arguments, console),
    }
}
