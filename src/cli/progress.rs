//! A bar on the terminal for work that takes longer than a second.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Counts bytes, and shows how many there are to go.
#[derive(Debug)]
pub(super) struct Progress {
    total: u64,
    done: u64,
    begun: Instant,
    bar: Option<ProgressBar>,
    is_wanted: bool,
}

impl Progress {
    /// For so many bytes. It never shows when standard error is no terminal.
    pub(super) fn new(total: u64) -> Self {
        let is_wanted = io::stderr().is_terminal();
        Self { total, done: 0, begun: Instant::now(), bar: None, is_wanted }
    }

    /// One that never shows.
    pub(super) fn hidden() -> Self {
        Self { is_wanted: false, ..Self::new(0) }
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.done += bytes as u64;
        if !self.is_wanted || (self.bar.is_none() && self.begun.elapsed() < PATIENCE) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| bar(self.total));
        bar.set_position(self.done);
    }

    /// Does something that writes to the terminal.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar off the terminal.
    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
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
