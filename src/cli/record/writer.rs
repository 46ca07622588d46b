//! Writes the lines of a recording into its file, and gives up for good when that fails.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom, Write},
    time::{Duration, Instant, SystemTime},
};

use rustix::process::{Resource, getrlimit};

use crate::{
    protocol::Side,
    record::{self, Driven, End, Recording},
};

/// Most bytes that are collected for one write to the file; a longer line is written at once.
const BLOCK: usize = 64 * 1024;

/// Writes a recording to its file: what the sides send, when they end, and what is missing.
#[derive(Debug)]
pub(in crate::cli) struct Recorder {
    recording: Recording,
    output: Output,
    begun: Instant,
    /// Why the file could not be written, so that the recording ends early; `None` while all could
    /// be written.
    failure: Option<String>,
    /// Whether the file stays open after both directions have ended, for a last line such as the
    /// state of a scenario.
    stays_open: bool,
}

impl Recorder {
    /// Begins a recording in `file`: locks the file and writes the first line. With `driven`,
    /// acpcheck plays a side, and the file stays open until [`close`](Self::close).
    pub(in crate::cli) fn begin(
        file: File,
        agent: &str,
        arguments: usize,
        driven: Option<&Driven<'_>>,
    ) -> io::Result<Self> {
        // The lock belongs to the file on most systems, and to the process on some.
        let _ = file.try_lock();
        let begun = Instant::now();
        let at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let mut output = Output::new(file);
        Recording::start(&at, agent, arguments, driven, &mut output)?;
        output.complete()?;
        let recording = Recording::default();
        Ok(Self { recording, output, begun, failure: None, stays_open: driven.is_some() })
    }

    /// Records bytes that a side has sent. Returns an error when the recording ends here because
    /// the file cannot be written.
    pub(in crate::cli) fn take(&mut self, sender: Side, chunk: &[u8]) -> Option<io::Error> {
        self.output.file.as_ref()?;
        self.write(sender, chunk.len(), |recording, at, out| recording.take(sender, chunk, at, out))
    }

    /// Records what a side has sent, up to a long line, which is not parsed before [`Self::settle`].
    /// Returns how many bytes were taken, and why the recording ends here, if it does.
    pub(super) fn take_ahead(&mut self, sender: Side, chunk: &[u8]) -> (usize, Option<io::Error>) {
        if self.output.file.is_none() {
            return (chunk.len(), None);
        }
        let mut taken = chunk.len();
        let failure = self.write(sender, chunk.len(), |recording, at, out| {
            taken = recording.take_ahead(sender, chunk, at, out)?;
            Ok(())
        });
        (taken, failure)
    }

    /// Completes the last line. Returns why the recording ends here, if it does.
    pub(super) fn settle(&mut self) -> Option<io::Error> {
        self.recording.open_line()?;
        self.write(Side::Client, 0, |_, _, _| Ok(()))
    }

    /// Records that a direction has ended, and closes the file after both. Returns why the recording
    /// ends here, if it does.
    pub(in crate::cli) fn end(&mut self, sender: Side, end: End) -> Option<io::Error> {
        let failure =
            self.write(sender, 0, |recording, at, out| recording.end(sender, end, at, out));
        if self.recording.is_whole() && !self.stays_open {
            self.output.file = None;
        }
        failure
    }

    /// Records that `bytes` bytes of a side were forwarded and not recorded, and why.
    pub(in crate::cli) fn gap(&mut self, sender: Side, bytes: u64, why: &str) {
        // What cannot be written has ended the recording.
        let _ = self.write(sender, 0, |_, at, out| record::gap(sender, bytes, why, at, out));
    }

    /// Records the state in which a scenario ended, such as `done`. `step` is the text beside it in
    /// the table of `drive`.
    pub(in crate::cli) fn scenario(&mut self, name: &str, state: &str, step: &str) {
        // What cannot be written has ended the recording.
        let _ =
            self.write(Side::Client, 0, |_, at, out| record::scenario(name, state, step, at, out));
    }

    /// Closes the file, which releases its lock. What comes later is dropped.
    pub(in crate::cli) fn close(&mut self) {
        self.output.file = None;
    }

    /// Records that the agent could not be started, with the exit status of `record`, and closes
    /// the file.
    pub(super) fn not_started(&mut self, status: u8) {
        // The exit status says it, too.
        let _ = self.write(Side::Agent, 0, |_, at, out| record::not_started(status, at, out));
        self.output.file = None;
    }

    /// Why the file could not be written, so that the recording ends early; `None` when all could
    /// be written.
    pub(in crate::cli) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(super) fn has_ended(&self, sender: Side) -> bool {
        self.recording.has_ended(sender)
    }

    /// Writes lines by calling `write`. On failure, ends the recording with a line about the
    /// missing `bytes` bytes, and returns the error.
    fn write(
        &mut self,
        sender: Side,
        bytes: usize,
        write: impl FnOnce(&mut Recording, Duration, &mut Output) -> io::Result<()>,
    ) -> Option<io::Error> {
        let at = self.begun.elapsed();
        let mut open = self.recording.open_line();
        let settled = if open.is_some() { self.complete() } else { Ok(()) };
        let written = settled.and_then(|()| {
            open = None;
            write(&mut self.recording, at, &mut self.output)?;
            self.complete_before_open()
        });
        let error = written.err()?;
        let why = format!("the recording could not be written: {error}; it ends here");
        self.failure = Some(error.to_string());
        self.output.give_up(|out| {
            if let Some((sender, bytes)) = open {
                record::gap(sender, bytes, &why, at, out)?;
            }
            record::gap(sender, bytes as u64, &why, at, out)
        });
        Some(error)
    }

    /// Ends the last line, and writes what waits.
    fn complete(&mut self) -> io::Result<()> {
        self.recording.settle(&mut self.output, Output::cut_back)?;
        self.output.complete()
    }

    /// Writes what waits. A line that is left open is not whole.
    fn complete_before_open(&mut self) -> io::Result<()> {
        match self.recording.open_line() {
            Some(_) => self.output.flush(),
            None => self.output.complete(),
        }
    }
}

/// The file of a recording, which always ends in a whole line. After the file is closed, all output
/// is dropped.
#[derive(Debug)]
struct Output {
    /// The open and locked file; `None` after it was closed.
    file: Option<File>,
    /// Bytes that wait to be written, at most `BLOCK`.
    buffer: Vec<u8>,
    /// The number of bytes in the file so far.
    length: u64,
    /// The number of bytes up to the end of the last whole line, to which the file is cut back
    /// after a failure.
    whole: u64,
    /// Most bytes that the system lets the file have (`ulimit -f`); it would end the process beyond
    /// them. `None` without a limit.
    limit: Option<u64>,
}

impl Output {
    fn new(file: File) -> Self {
        let limit = getrlimit(Resource::Fsize).current;
        Self { file: Some(file), buffer: Vec::new(), length: 0, whole: 0, limit }
    }

    /// Writes all waiting bytes to the file. Call this only at the end of a line.
    fn complete(&mut self) -> io::Result<()> {
        self.flush()?;
        self.whole = self.length;
        Ok(())
    }

    /// Writes bytes at the end of the file. Fails when the file would exceed `limit`.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = self.length + bytes.len() as u64;
        if self.limit.is_some_and(|limit| length > limit) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
        }
        self.length = length;
        Ok(())
    }

    /// Cuts the file back to its last whole line, adds what `write` writes if there is room, and
    /// closes the file.
    fn give_up(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        // There is nothing left to do about a file that cannot be written.
        let _ = self.cut_back();
        if write(self).and_then(|()| self.flush()).is_err() {
            let _ = self.cut_back();
        }
        self.file = None;
    }

    /// Removes what is behind the last whole line, in the file and in the buffer.
    fn cut_back(&mut self) -> io::Result<()> {
        self.buffer.clear();
        self.length = self.whole;
        if let Some(file) = &mut self.file {
            file.set_len(self.whole)?;
            file.seek(SeekFrom::Start(self.whole))?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > BLOCK {
            self.flush()?;
        }
        if bytes.len() > BLOCK {
            self.put(bytes)?;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let written = self.put(&buffer);
        buffer.clear();
        self.buffer = buffer;
        written
    }
}
