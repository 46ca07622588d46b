//! The notes on recordings, each once with the files that it is about.

use crate::map::IndexMap;

/// Most files that a note names; further ones are counted.
const NAMED: usize = 3;

/// The notes about the recordings of a run, in the order in which they came, each once with its
/// files.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordingNotes(IndexMap<String, NotedFiles>);

/// The names of the recordings that a note is about, at most a few, and the number of others.
#[derive(Clone, Debug, Default)]
pub(super) struct NotedFiles {
    /// The paths of the first recordings with the note, at most [`NAMED`].
    pub(super) named: Vec<String>,
    /// The number of further recordings with the note, which are not named.
    pub(super) more: u64,
}

impl RecordingNotes {
    pub(super) fn add<'n>(&mut self, path: &str, notes: impl IntoIterator<Item = &'n String>) {
        for note in notes {
            let files = match self.0.get_mut(note) {
                Some(files) => files,
                None => self.0.entry(note.clone()).or_default(),
            };
            if files.named.len() < NAMED {
                files.named.push(path.to_owned());
            } else {
                files.more += 1;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &NotedFiles)> {
        self.0.iter().map(|(note, files)| (&**note, files))
    }
}
