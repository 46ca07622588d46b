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

use clap::builder::TypedValueParser;
use owo_colors::Style;

use super::{
    arguments::{choice, counted},
    check::Reporting,
    console::Console,
    guard::{Folder, Guard},
};
use crate::{
    check::Exercise,
    protocol::{Version, schema::nearest},
    report::{TextStyle, wrapped},
    source::printable,
};

/// Reads a whole number of seconds, at least 1.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: NonZero<u32> = counted(text, "a number of seconds")?;
    Ok(Duration::from_secs(seconds.get().into()))
}

/// A parser for the version of the protocol to speak.
pub(super) fn version() -> impl TypedValueParser<Value = Version> {
    choice([("1", Version::V1, "Version 1"), ("2", Version::V2, "Version 2")])
}

/// What to say of a name that no scenario has.
pub(super) fn unknown(name: &str, names: &[&'static str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(nearest) => format!("unknown scenario; did you mean `{nearest}`?"),
        None => format!("unknown scenario; the scenarios are {}", names.join(", ")),
    }
}

/// Adds a scenario to a list for people. `needs`: what is said behind the name.
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

/// A number that no other run has: 16 hexadecimal digits.
pub(super) fn run_number() -> String {
    format!("{:016x}", drawn_number())
}

/// A number that nothing else has.
pub(super) fn drawn_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The table of a run, with a line for each scenario: before the report if that is text, else beside it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    reporting: &'a Reporting,
    pub(super) console: Console,
    /// How wide the names of scenarios are.
    width: usize,
}

impl<'a> Table<'a> {
    /// A table of the scenarios with these names.
    pub(super) fn new<'n>(
        reporting: &'a Reporting,
        console: Console,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        Self { reporting, console, width: names.map(str::len).max().unwrap_or_default() }
    }

    /// Tells how a scenario went.
    pub(super) fn row(&self, name: &str, state: &str, detail: &str) -> io::Result<()> {
        let head = format!("  {name:width$}  ", width = self.width);
        let text = printable(&format!("{state:12}{detail}")).trim_end().to_owned();
        self.line(&format!("{head}{text}"))
    }

    /// Says how many rules the other side has followed. `why`: why not more were exercised.
    pub(super) fn rules(&self, exercise: &Exercise, why: &str) -> io::Result<()> {
        let (upheld, exercised, all) = (exercise.upheld(), exercise.exercised(), exercise.all());
        self.line(&format!("{exercised} of {all} rules exercised, {upheld} upheld{why}."))
    }

    /// Names the scenarios that make the run fail, each with its state.
    pub(super) fn failed(&self, failed: &[(&str, &str)]) -> io::Result<()> {
        if failed.is_empty() {
            return Ok(());
        }
        let named: Vec<_> =
            failed.iter().map(|(name, state)| format!("{name} ({state})")).collect();
        self.line(&format!("Failed: {}.", named.join(", ")))
    }

    /// Writes a line.
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

    /// Keeps a temporary folder of recordings, and says where it is.
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

    /// Shows the last lines that a process has printed. `source`: where it did.
    pub(super) fn printed(&self, source: &str, lines: &[String]) {
        for line in lines {
            self.note(&format!("{source}: {}", shortened(line)));
        }
    }
}

/// The beginning of a line that is too long to be read.
fn shortened(line: &str) -> String {
    const LONGEST: usize = 200;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Makes the user's folder for recordings, which must not have any of these: a report about the folder is
/// to be about one run. An error is a sentence without a full stop.
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
