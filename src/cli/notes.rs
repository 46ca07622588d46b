//! What is to be said about recordings: once for all of them that it is true of.

use super::Console;
use crate::map::Map;

/// Notes in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    /// Text of a note → its place.
    places: Map<String, usize>,
}

#[derive(Debug)]
struct Note {
    text: String,
    /// The first file that it is said of.
    first: String,
    files: usize,
}

impl Notes {
    /// Something is to be said about a file.
    pub(super) fn add(&mut self, text: String, file: &str) {
        if let Some(place) = self.places.get(&text) {
            self.notes[*place].files += 1;
            return;
        }
        self.places.insert(text.clone(), self.notes.len());
        self.notes.push(Note { text, first: file.to_owned(), files: 1 });
    }

    /// Says it all.
    pub(super) fn tell(&self, console: Console) {
        for Note { text, first, files } in &self.notes {
            let more = match files - 1 {
                0 => String::new(),
                1 => " and 1 more file".to_owned(),
                more => format!(" and {more} more files"),
            };
            console.note(&format!("`{first}`{more}: {text}"));
        }
    }
}
