//! What `acpcheck drive` and `acpcheck play` have in common: options, lists, tables, folders and
//! numbers of their runs.

use std::{
    fmt::Write as _,
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Write as _},
    num::NonZero,
    path::Path,
    time::Duration,
};

use clap::{Arg, builder::TypedValueParser};
use owo_colors::Style;

use super::{
    arguments::{choice, counted},
    check::Reporting,
    console::Console,
    guard::{Folder, Guard},
};
use crate::{
    check::{Exercise, Fulfilment},
    protocol::{Version, schema::nearest},
    report::{TextStyle, requirement_line, wrapped},
    source::printable,
};

/// Reads the value of an option that is a whole number of seconds, at least 1. Fails with a message
/// for other texts.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: NonZero<u32> = counted(text, "a number of seconds")?;
    Ok(Duration::from_secs(seconds.get().into()))
}

/// A clap parser for the version of the protocol to speak, `1` or `2`.
pub(super) fn version() -> impl TypedValueParser<Value = Version> {
    choice([("1", Version::V1, "Version 1"), ("2", Version::V2, "Version 2")])
}

/// Hides an option in the help if it is of use only where the user names the transcripts.
pub(super) fn without_transcripts(argument: Arg) -> Arg {
    const USELESS: [&str; 6] =
        ["side", "input_format", "stdin_filename", "max_unpacked", "head", "tail"];
    let is_hidden = argument.is_hide_set() || USELESS.contains(&argument.get_id().as_str());
    argument.hide(is_hidden)
}

/// The error for a name that no scenario has, with a suggestion.
pub(super) fn unknown(name: &str, names: &[&'static str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(nearest) => format!("unknown scenario; did you mean `{nearest}`?"),
        None => format!("unknown scenario; the scenarios are {}", names.join(", ")),
    }
}

/// Adds a scenario to the text of `--list`. `needs` follows the name, such as a capability that the
/// scenario needs; `texts` are summary and explanation.
pub(super) fn describe(
    list: &mut String,
    style: TextStyle,
    name: &str,
    needs: &str,
    texts: [&str; 2],
) {
    const INDENT: &str = "    ";
    let title = wrapped("", INDENT, &format!("{name}{needs}"), style.page());
    let needs = title.strip_prefix(name).unwrap_or_default();
    let name = style.paint(name, Style::new().bold());
    let _ = writeln!(list, "{name}{needs}");
    for text in texts {
        let _ = writeln!(list, "{}", wrapped(INDENT, INDENT, text, style.page()));
    }
}

/// A random number that identifies a run in its recordings: 16 hexadecimal digits.
pub(super) fn run_number() -> String {
    format!("{:016x}", drawn_number())
}

/// A random number, such as a seed, taken from the random keys of a hasher.
pub(super) fn drawn_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The table of a run of `drive` or `play` with a line for each scenario. It goes to standard
/// output when the report is text, else to standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    reporting: &'a Reporting,
    pub(super) console: Console,
    /// The width of the longest name of a scenario, in bytes.
    width: usize,
}

impl<'a> Table<'a> {
    /// Prepares the table of scenarios that `drive` and `play` print. `names` are the scenarios
    /// that will be in it.
    pub(super) fn new<'n>(
        reporting: &'a Reporting,
        console: Console,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        Self { reporting, console, width: names.map(str::len).max().unwrap_or_default() }
    }

    /// Prints the row of a scenario: name, state, and what decided the state. Fails when printing
    /// fails.
    pub(super) fn row(&self, name: &str, state: &str, detail: &str) -> io::Result<()> {
        let head = format!("  {name:width$}  ", width = self.width);
        let text = printable(&format!("{state:12}{detail}")).trim_end().to_owned();
        self.line(&format!("{head}{text}"))
    }

    /// Says how many requirements the other side has met. `why`: a sentence why not more were exercised;
    /// may be empty.
    pub(super) fn requirements(&self, exercise: &Exercise, why: &str) -> io::Result<()> {
        let line = format!("{} {why}", requirement_line(&Fulfilment::of(exercise)));
        let style = if self.reporting.is_text() { self.console.out } else { self.console.err };
        self.line(&style.wrap("", "", line.trim_end()))
    }

    /// Prints the names of the scenarios that make the run fail, each with its state; nothing
    /// without any. Fails when printing fails.
    pub(super) fn failed(&self, failed: &[(&str, &str)]) -> io::Result<()> {
        if failed.is_empty() {
            return Ok(());
        }
        let named: Vec<_> =
            failed.iter().map(|(name, state)| format!("{name} ({state})")).collect();
        self.line(&format!("Failed: {}.", named.join(", ")))
    }

    /// Prints a line beside the report, unless the user wants `--quiet`.
    pub(super) fn line(&self, line: &str) -> io::Result<()> {
        if self.reporting.is_quiet() {
            return Ok(());
        }
        if self.reporting.is_text() {
            writeln!(io::stdout(), "{line}")
        } else {
            writeln!(io::stderr(), "{line}")
        }
    }

    /// Keeps the temporary folder of recordings, and prints where it is. Does nothing for a folder
    /// of the user.
    pub(super) fn kept(&self, folder: Folder, guard: &Guard) {
        if let Folder::Own(folder) = folder {
            let path = guard.keep_folder(folder);
            self.note(&format!("the recordings are in `{}`", path.display()));
        }
    }

    pub(super) fn note(&self, text: &str) {
        if !self.reporting.is_quiet() {
            self.console.note(text);
        }
    }

    /// Prints the last lines of a process as notes. `source` says where they come from, such as
    /// `standard error of the client`.
    pub(super) fn printed(&self, source: &str, lines: &[String]) {
        for line in lines {
            self.note(&format!("{source}: {}", shortened(line)));
        }
    }
}

/// The first 200 characters of a line, with `…` if more follow.
fn shortened(line: &str) -> String {
    const LONGEST: usize = 200;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Makes the user's folder for recordings. Fails when one of `recordings` is there from an earlier
/// run, since a report on the folder should be about one run. An error is a sentence without a full
/// stop.
#[cfg(unix)]
pub(super) fn make_folder(
    path: &Path,
    recordings: impl Iterator<Item = String>,
) -> Result<(), String> {
    use std::{fs::DirBuilder, os::unix::fs::DirBuilderExt};

    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| format!("cannot make `{}`: {error}", path.display()))?;
    let mut taken = recordings.map(|name| path.join(name)).filter(|path| path.exists());
    match taken.next() {
        Some(taken) => {
            Err(format!("`{}` is there from an earlier run; give another folder", taken.display()))
        }
        None => Ok(()),
    }
}
