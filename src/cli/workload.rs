//! The inputs of a run with all that is needed to check them, for the commands that check many.

use std::{io, num::NonZero, path::PathBuf};

use super::{
    bounded::Unpacking,
    folders::LeftOut,
    input::{self, Gathered, Input, Transcript},
    options::CheckOptions,
    overwrite_guard::GuardedFiles,
    pool,
    progress::Progress,
    reading::{self, Reading},
};
use crate::{check::Check, report::Unread};

/// The inputs of a run, and how they are read.
#[derive(Debug)]
pub(super) struct Workload {
    pub(super) inputs: Vec<Result<Input, Unread>>,
    /// What folders have that is not read.
    pub(super) left_out: LeftOut,
    pub(super) unpacking: Unpacking,
    threads: NonZero<usize>,
    progress: Progress,
}

impl Workload {
    /// The inputs among `paths`. `places`: what is read and written besides them. Errors are sentences
    /// without a full stop.
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

    /// The number of threads to use.
    pub(super) fn threads(&self) -> NonZero<usize> {
        self.threads
    }

    /// Whether there is one input only, and more than one thread.
    pub(super) fn is_alone(&self) -> bool {
        self.inputs.len() == 1 && self.threads.get() > 1
    }

    /// Calls `work` for each input, with its number from 0, on several threads, and `take` with the
    /// results in the order of the inputs. The first error of `take` ends it.
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

    /// Reads a transcript to its end, as [`reading::judge`] does.
    pub(super) fn judge(
        &self,
        transcript: &mut Transcript,
        check: Check,
        after_block: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Reading> {
        reading::judge(transcript, check, &self.progress, after_block)
    }
}
