//! What `acpcheck drive` and `acpcheck play` have in common: options, lists and numbers of their runs.

use std::{
    fmt::Write as _,
    hash::{BuildHasher, Hasher, RandomState},
    num::NonZero,
    time::Duration,
};

use clap::builder::TypedValueParser;
use owo_colors::Style;

use super::arguments::{choice, counted};
use crate::{
    protocol::{Version, schema::nearest},
    report::{TextStyle, wrapped},
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
    format!("{:016x}", RandomState::new().build_hasher().finish())
}
