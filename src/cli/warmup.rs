//! What is done while a folder is walked.
//!
//! What judging takes (schemas above all, some milliseconds of work) is made when it is first asked
//! for. In a folder, all threads would ask for it at once, at the first files, and wait for each
//! other. So one of them makes it while the folder is still being walked, by judging the beginning of
//! some file in there.
#![expect(clippy::disallowed_methods, reason = "it reads a file")]

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use super::input;
use crate::check::{self, Settings};

/// How much of the file is judged, in bytes: most of what occurs in a transcript occurs early.
const BEGINNING: u64 = 64 * 1024;

/// Makes what judging takes, if one of the paths is a folder. Nothing depends on what comes of it.
pub(super) fn of(paths: &[PathBuf]) -> Option<impl FnOnce() + Send> {
    let folder = paths.iter().find(|path| path.is_dir())?;
    Some(move || _ = judge_beginning(folder))
}

fn judge_beginning(folder: &Path) -> Option<()> {
    let file = File::open(input::any_in(folder)?).ok()?;
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    check::check(&beginning, &Settings::default());
    Some(())
}
