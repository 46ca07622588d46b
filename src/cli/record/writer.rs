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

/// How many bytes are written at once, at most, unless a line is longer.
const BLOCK: usize = 64 * 1024;

/// A recording and the file that it is written to.
#[derive(Debug)]
pub(in crate::cli) struct Recorder {
    recording: Recording,
    output: Output,
    begun: Instant,
    /// Why the recording ends before the connection does.
    failure: Option<String>,
    /// Whether lines may follow that belong to no side.
    stays_open: bool,
}

impl Recorder {
    /// Begins a recording: keeps the file locked and writes the first line.
    /// `driven`: set where acpcheck plays a side; then [`close`](Self::close) closes the file.
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

    /// Records what a side has sent. Returns why the recording ends here, if it does.
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

    /// Records that bytes of a side are left out.
    pub(in crate::cli) fn gap(&mut self, sender: Side, bytes: u64, why: &str) {
        // What cannot be written has ended the recording.
        let _ = self.write(sender, 0, |_, at, out| record::gap(sender, bytes, why, at, out));
    }

    /// Records how a scenario ended.
    pub(in crate::cli) fn scenario(&mut self, name: &str, state: &str, step: &str) {
        // What cannot be written has ended the recording.
        let _ =
            self.write(Side::Client, 0, |_, at, out| record::scenario(name, state, step, at, out));
    }

    /// Closes the file.
    pub(in crate::cli) fn close(&mut self) {
        self.output.file = None;
    }

    /// Records that the agent could not be started, and closes the file.
    pub(super) fn not_started(&mut self, status: u8) {
        // The exit status says it, too.
        let _ = self.write(Side::Agent, 0, |_, at, out| record::not_started(status, at, out));
        self.output.file = None;
    }

    /// Why the recording ends before the connection does; `None` when all could be written.
    pub(in crate::cli) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(super) fn has_ended(&self, sender: Side) -> bool {
        self.recording.has_ended(sender)
    }

    /// Writes lines. When that fails, says in the file what is missing and lets go of it.
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

/// A file that holds whole lines. Without a file, what is written is dropped.
#[derive(Debug)]
struct Output {
    /// Unlocked when it is closed.
    file: Option<File>,
    /// What is to be written next.
    buffer: Vec<u8>,
    /// Bytes in the file so far.
    length: u64,
    /// Bytes from the beginning of the file to the end of its last complete line.
    whole: u64,
    /// Bytes that the file may have (`ulimit -f`): beyond that, the system ends the process. `None`
    /// without a limit.
    limit: Option<u64>,
}

impl Output {
    fn new(file: File) -> Self {
        let limit = getrlimit(Resource::Fsize).current;
        Self { file: Some(file), buffer: Vec::new(), length: 0, whole: 0, limit }
    }

    /// Writes what waits: lines end here.
    fn complete(&mut self) -> io::Result<()> {
        self.flush()?;
        self.whole = self.length;
        Ok(())
    }

    /// Writes at the end of the file.
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

    /// Lets go of the file, with a last line if there is room for it.
    fn give_up(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        // There is nothing left to do about a file that cannot be written.
        let _ = self.cut_back();
        if write(self).and_then(|()| self.flush()).is_err() {
            let _ = self.cut_back();
        }
        self.file = None;
    }

    /// Removes what stands behind the last whole line.
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
