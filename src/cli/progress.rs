//! A progress bar on the terminal, for work that takes longer than a second.
//!
//! Several threads report how many bytes they have read.

use std::{
    io::{self, IsTerminal},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long work takes before the progress bar appears.
const DELAY: Duration = Duration::from_secs(1);

/// Counts bytes that threads have read, and shows on a terminal how many remain.
#[derive(Debug)]
pub(super) struct Progress {
    total: u64,
    done: AtomicU64,
    begun: Instant,
    bar: OnceLock<ProgressBar>,
    is_wanted: bool,
}

impl Progress {
    /// A progress bar over `total()` bytes. Without a terminal on standard error, nothing is shown
    /// and `total` is not called.
    pub(super) fn new(total: impl FnOnce() -> u64) -> Self {
        let is_wanted = io::stderr().is_terminal();
        let total = if is_wanted { total() } else { 0 };
        let (done, bar) = (AtomicU64::new(0), OnceLock::new());
        Self { total, done, begun: Instant::now(), bar, is_wanted }
    }

    /// A progress bar that shows nothing, for output that is not a terminal.
    pub(super) fn hidden() -> Self {
        Self { is_wanted: false, ..Self::new(|| 0) }
    }

    /// Counts bytes that have been read, and moves the progress bar.
    pub(super) fn advance(&self, bytes: usize) {
        if !self.is_wanted {
            return;
        }
        let bytes = bytes as u64;
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.bar.get().is_some() || self.begun.elapsed() >= DELAY {
            self.bar.get_or_init(|| bar(self.total)).set_position(done);
        }
    }

    /// Calls `write`, which may write to the terminal, while the bar is hidden.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the progress bar from the terminal at the end of the work.
    pub(super) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template = "checking {bar:30} {bytes}/{total_bytes}, {eta} to go";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
