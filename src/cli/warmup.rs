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
    thread,
};

use super::{input, judging::Judging};
use crate::check::{self, Settings};

/// How much of the file is judged, in bytes: most of what occurs in a transcript occurs early.
const BEGINNING: u64 = 64 * 1024;

/// Begins to make what judging takes, in another thread, where there are several and one of the paths
/// is a folder. Nobody waits for it, and nothing depends on what comes of it.
pub(super) fn begin(paths: &[PathBuf], judging: &Judging) {
    let folder = paths.iter().find(|path| path.is_dir());
    // How many threads there are takes several system calls to tell.
    if let Some(folder) = folder.filter(|_| judging.threads().get() > 1).cloned() {
        // If there is no thread to be had, it is made later.
        _ = thread::Builder::new().spawn(move || judge_beginning(&folder));
    }
}

fn judge_beginning(folder: &Path) -> Option<()> {
    let file = File::open(input::any_in(folder)?).ok()?;
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    check::check(&beginning, &Settings::default());
    Some(())
}
