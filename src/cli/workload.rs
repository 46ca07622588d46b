//! The inputs of a run with all that is needed to check them, for the commands that check many.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
};

use super::{
    bounded::Unpacking,
    folders::LeftOut,
    input::{self, Gathered, Input},
    options::CheckOptions,
    overwrite_guard::GuardedFiles,
    pool,
    progress::Progress,
};
use crate::report::Unread;

/// The inputs of a run that checks many files, with the threads and limits for reading them.
#[derive(Debug)]
pub(super) struct Workload {
    pub(super) inputs: Vec<Result<Input, Unread>>,
    /// The names and links in folders that are not read, for a note to the user.
    pub(super) left_out: LeftOut,
    pub(super) unpacking: Unpacking,
    threads: NonZero<usize>,
    pub(super) progress: Progress,
}

impl Workload {
    /// Finds the inputs that `paths` stand for. Fails when a file in `places` to be written is an
    /// input. An error is a sentence without a full stop.
    pub(super) fn gather(
        paths: &[PathBuf],
        options: &CheckOptions,
        places: &GuardedFiles,
        is_quiet: bool,
    ) -> Result<Self, String> {
        let mut gathered = input::gather(paths, options.stdin_name());
        places.keep_from(&mut gathered, paths)?;
        let Gathered { inputs, left_out } = gathered;
        let progress = if is_quiet {
            Progress::hidden()
        } else {
            Progress::new(|| inputs.iter().flatten().map(Input::size).sum())
        };
        let (unpacking, threads) = (options.unpacking(), options.threads());
        Ok(Self { inputs, left_out, unpacking, threads, progress })
    }

    /// Files for a command that reads only what they show of each other's sessions.
    pub(super) fn of_files(inputs: impl IntoIterator<Item = Input>, unpacking: Unpacking) -> Self {
        let inputs = inputs.into_iter().map(Ok).collect();
        let (left_out, threads) = (LeftOut::default(), NonZero::<usize>::MIN);
        Self { inputs, left_out, unpacking, threads, progress: Progress::hidden() }
    }

    /// A file, and the transcripts in its folder, for a command that reads only what they show of each
    /// other's sessions.
    pub(super) fn with_neighbours(file: &Path, unpacking: Unpacking) -> Self {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        let Gathered { inputs, left_out } = input::gather(&[file.to_owned(), folder], "<stdin>");
        let threads = NonZero::<usize>::MIN;
        Self { inputs, left_out, unpacking, threads, progress: Progress::hidden() }
    }

    /// The number of threads on which inputs are read.
    pub(super) fn threads(&self) -> NonZero<usize> {
        self.threads
    }

    /// Whether there is just one input but several threads, so that this input may be checked with
    /// two.
    pub(super) fn is_alone(&self) -> bool {
        self.inputs.len() == 1 && self.threads.get() > 1
    }

    /// Calls `work` for each input and its number from 0 on several threads, and `take` with the
    /// results in the order of the inputs. The first error of `take` ends the run.
    pub(super) fn each<R: Send, E>(
        &self,
        work: impl Fn(usize, &Result<Input, Unread>) -> R + Sync,
        mut take: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E> {
        let take = |result| self.progress.aside(|| take(result));
        let taken = pool::in_order(self.threads, &self.inputs, work, take);
        self.progress.finish();
        taken
    }
}
