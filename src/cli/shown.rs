//! Keeps what `check --watch` has shown of recordings that grow, so that it shows what is new.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::diagnostic::Diagnostic;

/// The findings that `check --watch` has shown, by the names of the files.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<BTreeMap<String, ShownFile>>);

#[derive(Debug, Default)]
struct ShownFile {
    /// Rule, byte offset and message of each finding that was shown, so that `--watch` shows only
    /// new ones.
    findings: HashSet<(&'static str, u64, String)>,
    /// Whether `acpcheck record` was still writing the file when it was read last.
    is_open: bool,
    /// The summary of a connection that has ended, until [`Shown::take_ended`] returns it; `None`
    /// otherwise.
    ended: Option<String>,
}

impl Shown {
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, ShownFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the diagnostics of a file as shown; with `keeps_new`, first removes those that were
    /// shown before. `is_open` says whether the file is still being recorded; `summary` describes
    /// all its findings.
    pub(super) fn add(
        &self,
        name: &str,
        is_open: bool,
        summary: String,
        diagnostics: &mut Vec<Diagnostic>,
        keeps_new: bool,
    ) {
        let mut files = self.files();
        let is_unknown = keeps_new && !files.contains_key(name);
        let file = files.entry(name.to_owned()).or_default();
        if (file.is_open || is_unknown) && !is_open {
            file.ended = Some(summary);
        }
        file.is_open = is_open;
        diagnostics.retain(|diagnostic| {
            let finding = &diagnostic.finding;
            let place = finding.labels.first().map_or(0, |label| label.span.start);
            let is_new =
                file.findings.insert((diagnostic.rule.id, place, finding.message.to_string()));
            is_new || !keeps_new
        });
    }

    /// Whether `acpcheck record` was still writing the file when it was read last.
    pub(super) fn is_open(&self, path: &Path) -> bool {
        self.files().get(&*path.to_string_lossy()).is_some_and(|file| file.is_open)
    }

    /// The names of the files whose connection has ended since the last call, each with its
    /// summary.
    pub(super) fn take_ended(&self) -> Vec<(String, String)> {
        let mut files = self.files();
        let ended =
            files.iter_mut().filter_map(|(name, file)| Some((name.clone(), file.ended.take()?)));
        ended.collect()
    }
}
