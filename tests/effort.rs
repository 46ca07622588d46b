//! How much the heavy tests try. By default they try a part, chosen evenly and the same in every run,
//! so that all tests take some minutes. Where `ACPCHECK_THOROUGH` is set, as `.ci/run` sets it,
//! they try everything.

use std::{fs::OpenOptions, io::Write as _};

use acpcheck::{
    check::{Check, Outcome, Settings},
    diagnostic::Diagnostic,
};

/// Whether the heavy tests try everything.
pub(crate) fn is_thorough() -> bool {
    std::env::var_os("ACPCHECK_THOROUGH").is_some()
}

/// The cases of a property that has `all` of them: a quarter by default, and at least one.
pub(crate) fn cases(all: u32) -> u32 {
    if is_thorough() { all } else { (all / 4).max(1) }
}

/// `n` by default, 1 where everything is tried: every how many items one is tried.
pub(crate) fn step(n: usize) -> usize {
    if is_thorough() { 1 } else { n }
}

/// How often something is tried: `few` times by default, `all` times where everything is tried.
pub(crate) fn times(few: usize, all: usize) -> usize {
    if is_thorough() { all } else { few }
}

/// Every `n`th of the items by default, beginning with the first.
pub(crate) fn one_in<T>(n: usize, items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().step_by(step(n))
}

/// Checks a transcript and counts it: see [`note_check`].
pub(crate) fn check(transcript: &[u8], settings: &Settings) -> (Vec<Diagnostic>, Outcome) {
    note_check();
    acpcheck::check::check(transcript, settings)
}

/// Begins the check of a transcript that comes in pieces, and counts it: see [`note_check`].
pub(crate) fn begin(settings: &Settings) -> Check {
    note_check();
    Check::new(settings)
}

/// Counts one check, in process or by a run of the program. Where `ACPCHECK_CHECKS` names a file, it
/// grows by one byte: tests run in several threads and programs, and `.ci/run` prints its length.
pub(crate) fn note_check() {
    if let Some(file) = std::env::var_os("ACPCHECK_CHECKS") {
        OpenOptions::new().create(true).append(true).open(file).unwrap().write_all(b".").unwrap();
    }
}
