//! Notes on standard error about files and recordings.

use super::run::CheckRun;
use crate::cli::{config::Config, console::Console, input};

impl CheckRun<'_> {
    /// Prints the notes about recordings. Of several notes, prints only how many there are, unless
    /// the user wants all (`--verbose`).
    pub(super) fn note_recordings(&mut self) {
        let is_open = |(note, _): &(String, Vec<String>)| note == input::STILL_RECORDED;
        for (note, files) in self.notes.extract_if(.., |note| is_open(note)) {
            self.console.note(&format!("{}: {note}", some(&files, NAMED)));
        }
        if self.reporting.verbose || self.notes.len() == 1 {
            let most = if self.reporting.verbose { NAMED_AT_LENGTH } else { NAMED };
            for (note, files) in &self.notes {
                self.console.note(&format!("{}: {note}", some(files, most)));
            }
        } else if !self.notes.is_empty() {
            let count = self.notes.len();
            let unjudged = if self.summary.unjudged.is_none() {
                ""
            } else {
                ", with what was not judged and why"
            };
            self.console.note(&format!(
                "{count} notes about the recordings{unjudged}: `--verbose` shows them"
            ));
        }
    }

    pub(super) fn note_skipped(&self) {
        if !self.skipped.is_empty() {
            self.console
                .note(&format!("skipped, no messages found: {}", some(&self.skipped, NAMED)));
        }
    }
}

/// Prints what `acpcheck check .` would check and with which settings, if the current folder has
/// transcripts. For users who give no command.
pub(in crate::cli) fn hint_at_transcripts(console: &Console) {
    let names: Vec<_> =
        input::transcripts_here().iter().map(|path| path.display().to_string()).collect();
    if names.is_empty() {
        return;
    }
    let files = if names.len() == 1 {
        "1 transcript".into()
    } else {
        format!("{} transcripts", names.len())
    };
    let settings = match Config::name_here() {
        Some(name) => format!("the settings of `{name}`"),
        None => "the default settings".to_owned(),
    };
    console.note(&format!("this folder has {files}: {}", some(&names, NAMED)));
    console.note(&format!("`acpcheck check .` checks them with {settings}"));
}

/// How many files a note names; further ones are counted.
pub(super) const NAMED: usize = 3;

/// Most files that a note names with `--verbose`; further ones are counted. There may be thousands.
const NAMED_AT_LENGTH: usize = 20;

/// The first `most` names in backticks, and the number of further ones, for a note.
pub(super) fn some(names: &[String], most: usize) -> String {
    let named: Vec<_> = names.iter().take(most).map(|name| format!("`{name}`")).collect();
    let named = named.join(", ");
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
