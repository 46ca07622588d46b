//! Keeps what a run writes apart from what it reads, by whatever names the files are called.

use std::path::{Path, PathBuf};

use super::{
    bounded::Unpacking,
    folders,
    identity::Identity,
    input::{Gathered, Input},
    progress::Progress,
    reading,
};
use crate::check::{Check, Settings};

/// The path under which Unix has standard output, to find out whether it leads to an input.
const STANDARD_OUTPUT: &str = "/dev/stdout";

/// The files besides transcripts that a run reads and writes, to refuse runs that would overwrite
/// an input.
#[derive(Debug, Default)]
pub(super) struct GuardedFiles {
    /// The paths of the files that the run writes, so that none of them may also be read.
    pub(super) written: Vec<PathBuf>,
    /// The paths of the files that the run reads, each with a name for messages such as `the
    /// configuration`.
    pub(super) read: Vec<(&'static str, PathBuf)>,
}

impl GuardedFiles {
    /// Refuses to write a file that is read, or two reports to one file. An error is a sentence
    /// without a full stop.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut before: Vec<(Identity, &Path)> = Vec::new();
        for path in &self.written {
            // Devices and pipes take several things one after the other.
            if path.exists() && !folders::is_file(path) {
                continue;
            }
            let identity = Identity::of_future(path);
            if let Some((_, other)) = before.iter().find(|(it, _)| *it == identity) {
                return Err(match (folders::name(path), folders::name(other)) {
                    (name, other) if name == other => format!("two reports would go to `{name}`"),
                    (name, other) => {
                        format!("two reports would go to one file, `{other}` and `{name}`")
                    }
                });
            }
            if let Some((what, _)) =
                self.read.iter().find(|(_, it)| Identity::of_future(it) == identity)
            {
                let name = folders::name(path);
                return Err(format!("`{name}` is {what} and an output; write to another file"));
            }
            before.push((identity, path));
        }
        Ok(())
    }

    /// Fails when the run would overwrite a transcript that the user named. Files found in folders
    /// that are reports of earlier runs are removed from the inputs, so that they may be
    /// overwritten. `paths` are what the user names.
    pub(super) fn keep_from(
        &self,
        gathered: &mut Gathered,
        paths: &[PathBuf],
    ) -> Result<(), String> {
        let standard = PathBuf::from(STANDARD_OUTPUT);
        let written: Vec<_> = self
            .written
            .iter()
            .chain([&standard])
            .filter(|path| folders::is_file(path))
            .filter_map(|path| Identity::of(path))
            .collect();
        if written.is_empty() {
            return Ok(());
        }
        let is_written =
            |path: &Path| Identity::of(path).is_some_and(|identity| written.contains(&identity));
        let mut refused = None;
        gathered.inputs.retain(|input| {
            let Ok(input) = input else { return true };
            let path = input.path().unwrap_or(Path::new("/dev/stdin"));
            if !is_written(path) {
                return true;
            }
            let is_named = input.path().is_none_or(|path| paths.iter().any(|it| it == path));
            if is_named || is_transcript(input) {
                refused.get_or_insert_with(|| input.name());
            }
            false
        });
        match refused {
            Some(name) => Err(format!("`{name}` is an input and an output; write to another file")),
            None => Ok(()),
        }
    }
}

/// Whether a file contains a message; also `true` when it cannot be opened.
fn is_transcript(input: &Input) -> bool {
    let Ok(mut transcript) = input.open(Unpacking::default()) else { return true };
    let check = Check::new(&Settings::default());
    let reading = reading::judge(&mut transcript, check, &Progress::hidden(), || Ok(()));
    reading.is_ok_and(|reading| reading.outcome.format.is_some())
}
