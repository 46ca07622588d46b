//! Reads transcripts one after the other, for commands that write while they read.

use std::{io, path::PathBuf};

use super::{
    arguments::Completable,
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    formats,
    input::{self, Gathered, Input, Transcript},
    progress::Progress,
    reading::{self, NotJudged, Reading},
};
use crate::{
    check::{Check, Settings},
    transcript,
};

/// The option that names the format of transcripts.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct InputFormat {
    /// The format of the transcripts; `acpcheck formats` lists them.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = Completable { parse: formats::parse, names: formats::names },
        hide_possible_values = true,
    )]
    input_format: Option<&'static transcript::Format>,
}

impl InputFormat {
    /// The settings for reading transcripts in this format, with all rules as they are by default.
    pub(super) fn settings(self) -> Settings {
        Settings { format: self.input_format, ..Settings::default() }
    }
}

/// Reads the inputs of a command one after the other, and counts which could be read, for the exit
/// status.
pub(super) struct Sequence<'a> {
    console: &'a Console,
    unpacking: Unpacking,
    /// The names of the transcripts that were read so far, for messages.
    read: Vec<String>,
    /// The names of files in folders that have no message and need not be transcripts.
    skipped: Vec<String>,
    /// The number of inputs so far that could not be read, or not to their end; it decides the exit
    /// status.
    unread: usize,
}

impl<'a> Sequence<'a> {
    /// Calls `take` for each input, and reports those that cannot be read. `paths` are those that
    /// the user names. An error of `take` ends the run.
    pub(super) fn run(
        gathered: Gathered,
        paths: &[PathBuf],
        unpacking: Unpacking,
        console: &'a Console,
        mut take: impl FnMut(&mut Self, &Input) -> io::Result<()>,
    ) -> io::Result<Self> {
        let Gathered { inputs, left_out } = gathered;
        let (read, skipped) = (Vec::new(), Vec::new());
        let mut sequence = Self { console, unpacking, read, skipped, unread: 0 };
        for input in &inputs {
            match input {
                Ok(input) => take(&mut sequence, input)?,
                Err(unread) => sequence.unread(&unread.path, &unread.reason),
            }
        }
        if let Some(note) = left_out.note() {
            console.note(&note);
        }
        let read = sequence.read.iter().map(|name| &**name);
        for folder in input::empty_folders(paths, &read, &sequence.skipped, sequence.unread) {
            sequence.unread(&folder.path, &folder.reason);
        }
        Ok(sequence)
    }

    /// Whether no transcript has been read so far, so that the next one is the first.
    pub(super) fn is_empty(&self) -> bool {
        self.read.is_empty()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.unread == 0
    }

    pub(super) fn status(&self) -> ExitStatus {
        if self.is_complete() { ExitStatus::Clean } else { ExitStatus::Unreadable }
    }

    /// Prints on standard error why an input is not read, and counts the input as unread.
    pub(super) fn unread(&mut self, name: &str, reason: &str) {
        self.console.unread(name, reason);
        self.unread += 1;
    }

    /// Reads a transcript and feeds it to `check`, and prints notes on it. `write` is called while
    /// reading to write what has arrived; its error ends the run. `None` when it is not a
    /// transcript or cannot be read.
    pub(super) fn judge(
        &mut self,
        input: &Input,
        check: Check,
        mut write: impl FnMut() -> io::Result<()>,
    ) -> io::Result<Option<(Reading, Transcript)>> {
        let mut is_writable = true;
        let write = || write().inspect_err(|_| is_writable = false);
        let read = input.open(self.unpacking).and_then(|mut transcript| {
            let reading = reading::judge(&mut transcript, check, &Progress::hidden(), write)?;
            Ok((reading, transcript))
        });
        let (reading, transcript) = match read {
            Ok(read) => read,
            Err(error) if is_writable => {
                self.unread(&input.name(), &error.to_string());
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        if let Some(why) = reading.not_judged(input.certainty()) {
            self.pass_over(input, why);
            return Ok(None);
        }
        // The first notes are about rules, which do not run here.
        for note in reading.outcome.notes.iter().skip(reading.outcome.unassessed.len()) {
            self.console.note(&format!("`{}`: {note}", input.name()));
        }
        Ok(Some((reading, transcript)))
    }

    /// Reads a transcript into memory. `None` when it is not a transcript or cannot be read, which
    /// is printed as an error.
    pub(super) fn whole(&mut self, input: &Input, settings: &Settings) -> Option<Vec<u8>> {
        match reading::whole(input, self.unpacking, settings) {
            Ok(transcript) => Some(transcript),
            Err(why) => {
                self.pass_over(input, why);
                None
            }
        }
    }

    fn pass_over(&mut self, input: &Input, why: NotJudged) {
        match why {
            NotJudged::PassedOver => self.skipped.push(input.name()),
            NotJudged::Unread(reason) => self.unread(&input.name(), &reason),
        }
    }

    /// Counts a transcript as read. `failure` is the reason why it could not be read to its end;
    /// `None` when it could.
    pub(super) fn finish(&mut self, input: &Input, failure: Option<String>) {
        if let Some(reason) = failure {
            self.unread(&input.name(), &reason);
        }
        self.read.push(input.name());
    }
}
