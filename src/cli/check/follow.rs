//! `--watch`: checks again whenever a file changes.

use std::{
    ops::ControlFlow::Break,
    path::{Path, PathBuf},
};

use super::{
    Arguments, Pass, Reporting, fail,
    notes::{NAMED, some},
};
use crate::cli::{
    console::Console,
    exit_status::ExitStatus,
    interrupts::Interrupts,
    open_recording,
    shown::Shown,
    watch::{self, Change, Changes, FileStates},
};

/// Checks all inputs for `--watch`, and checks again whenever one of them changes. Returns when the
/// user interrupts it or no output has a reader any more.
pub(super) fn follow(
    arguments: &Arguments,
    console: &Console,
    interrupts: &Interrupts,
) -> ExitStatus {
    let Arguments { paths, reporting, .. } = arguments;
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return fail("standard input cannot be watched; name files or folders", console);
    }
    let transcripts = || {
        let inputs = arguments.gather().inputs.into_iter().flatten();
        inputs.filter_map(|input| input.path().map(Path::to_owned)).collect::<Vec<_>>()
    };
    let mut seen: Option<FileStates> = None;
    let shown = Shown::default();
    let mut recordings: Option<Vec<PathBuf>> = None;
    loop {
        let config = reporting.options.load().ok();
        let baseline = reporting.baseline_path(config.as_ref());
        let look = || {
            let configured = reporting.options.config_path().into_iter().chain(baseline.clone());
            let is_open = |path: &Path| shown.is_open(path) && open_recording::is_open_now(path);
            FileStates::of(transcripts().into_iter().chain(configured), is_open)
        };
        let before = seen.take().unwrap_or_else(look);
        let pass = Pass {
            shown: Some(&shown),
            recordings: recordings.as_deref(),
            ..Pass::over(paths, reporting)
        };
        if let Break(outcome) = pass.run(console, interrupts).0 {
            return outcome;
        }
        for (name, ended) in shown.take_ended() {
            if !reporting.quiet {
                console.note(&format!("`{name}`: the connection has ended: {ended}"));
            }
        }
        let announce = || {
            if !reporting.quiet && recordings.is_none() {
                let count = transcripts().len();
                console.note(&match count {
                    0 => "no transcript yet: waiting for one; press Ctrl-C to stop".to_owned(),
                    1 => "watching 1 file; press Ctrl-C to stop".to_owned(),
                    _ => format!("watching {count} files; press Ctrl-C to stop"),
                });
            }
        };
        let Some((changes, snapshot)) = watch::wait(interrupts, &before, announce, look) else {
            return ExitStatus::Clean;
        };
        seen = Some(snapshot);
        recordings = reporting.only_recordings(&changes, baseline.is_some());
        if recordings.is_none() {
            console.clear();
        }
        if !reporting.quiet {
            let is_told = |change: &Change| recordings.is_none() || *change == Change::Added;
            for (change, paths) in changes.into_iter().filter(|(change, _)| is_told(change)) {
                let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                console.note(&format!("{change}: {}", some(&names, NAMED)));
            }
        }
    }
}

impl Reporting {
    /// The changed files, when all are recordings by `acpcheck record` and the reports can be
    /// continued with new findings alone. `None` when all inputs must be checked again.
    fn only_recordings(&self, changes: &Changes, has_baseline: bool) -> Option<Vec<PathBuf>> {
        let wanted = self.wanted().ok()?;
        let are_texts = wanted.iter().all(|wanted| wanted.path.is_none() && wanted.format.is_text);
        if !are_texts || has_baseline || self.statistics {
            return None;
        }
        let paths = changes.iter().map(|(change, paths)| {
            let are_recordings = *change != Change::Removed
                && paths.iter().all(|path| open_recording::is_recording_at(path));
            are_recordings.then_some(paths)
        });
        let paths: Vec<&Vec<PathBuf>> = paths.collect::<Option<_>>()?;
        Some(paths.into_iter().flatten().cloned().collect())
    }
}
