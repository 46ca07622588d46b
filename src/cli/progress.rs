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

/// How long the work takes before the bar appears.
const DELAY: Duration = Duration::from_secs(1);

/// Counts bytes, and shows how many are left.
#[derive(Debug)]
pub(super) struct Progress {
    total: u64,
    done: AtomicU64,
    begun: Instant,
    bar: OnceLock<ProgressBar>,
    is_wanted: bool,
}

impl Progress {
    /// For as many bytes as `total` returns. It is called only where standard error is a terminal, for
    /// nothing is shown elsewhere.
    pub(super) fn new(total: impl FnOnce() -> u64) -> Self {
        let is_wanted = io::stderr().is_terminal();
        let total = if is_wanted { total() } else { 0 };
        let (done, bar) = (AtomicU64::new(0), OnceLock::new());
        Self { total, done, begun: Instant::now(), bar, is_wanted }
    }

    /// Shows nothing.
    pub(super) fn hidden() -> Self {
        Self { is_wanted: false, ..Self::new(|| 0) }
    }

    /// Counts bytes that have been read.
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

    /// Calls `write`, which may write to the terminal, with the bar out of its way.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar off the terminal.
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
