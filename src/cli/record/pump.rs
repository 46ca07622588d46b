//! Passes on the bytes of a connection, and has them recorded before.
//!
//! Each direction has a thread. A thread reads a chunk, records the lines that end in it, and writes
//! the whole chunk: what a peer has read is in the file. It reads no more than it can pass on. A long line
//! is in the file, too, before it is passed on, and is parsed afterwards.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, ioctl_fionread, read, write},
    stdio,
};

use super::writer::Recorder;
use crate::{protocol::Side, record::End};

/// Most bytes that are read from a side at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;
/// How long the client's direction may stay open after the agent has closed its output. The client
/// sees the end of the output only after this, so that the recording is complete by then.
const GRACE: Duration = Duration::from_millis(200);

/// Forwards a recorded connection: passes bytes between client and agent, and records them.
#[derive(Debug)]
pub(super) struct Pump {
    recorder: Mutex<Recorder>,
    /// Signals that a direction has ended.
    ended: Condvar,
    /// An open `/dev/null`, which replaces standard error once the agent has ended.
    null: OwnedFd,
}

/// The bytes of one side on their way to the other.
#[derive(Debug)]
pub(super) struct Direction {
    pub(super) sender: Side,
    pub(super) from: OwnedFd,
    pub(super) to: OwnedFd,
}

/// What happens next on a direction: bytes can be read, or the receiver has closed its end.
enum Event {
    Readable,
    ReaderGone,
}

impl Pump {
    pub(super) fn new(recorder: Recorder, null: OwnedFd) -> Self {
        Self { recorder: Mutex::new(recorder), ended: Condvar::new(), null }
    }

    /// The recorder, locked. Callers release the lock before they pass bytes on, which may block.
    pub(super) fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on both directions until both have ended. `start` is called when everything is ready,
    /// and returns false when the agent could not be started.
    pub(super) fn run(
        &self,
        [client, agent]: [Direction; 2],
        start: impl FnOnce() -> bool,
    ) -> io::Result<()> {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        thread::scope(|scope| {
            let begun = move || {
                if wait.recv().is_ok() {
                    self.pass_on(client);
                }
            };
            thread::Builder::new().spawn_scoped(scope, begun)?;
            if start() {
                let _ = go.send(());
                self.pass_on(agent);
            }
            drop(go);
            Ok(())
        })
    }

    /// Passes on and records one direction until it ends, then closes the streams on both of its
    /// sides.
    fn pass_on(&self, Direction { sender, from, to }: Direction) {
        let end = self.copy(sender, from.as_fd(), to.as_fd());
        if end == End::ReaderGone {
            self.take_rest(sender, from.as_fd());
            drop(from);
        }
        Self::report(self.recorder().end(sender, end));
        self.ended.notify_all();
        match (sender, end) {
            // Who waits for the end of the agent's standard error is not kept waiting.
            (Side::Client, End::ReaderGone) => {
                let _ = stdio::dup2_stderr(&self.null);
            }
            (Side::Agent, End::Eof) => self.await_end(Side::Client),
            _ => {}
        }
        drop(to);
    }

    fn copy(&self, sender: Side, from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> End {
        let mut chunk = vec![0; CHUNK];
        loop {
            match wait(from, to) {
                Ok(Event::Readable) => {}
                Ok(Event::ReaderGone) => return End::ReaderGone,
                Err(_) => return End::Eof,
            }
            let count = match read(from, &mut chunk) {
                Ok(count) => count,
                Err(Errno::AGAIN | Errno::INTR) => continue,
                // The other end of a socket was closed without a word.
                Err(_) => 0,
            };
            if count == 0 {
                return End::Eof;
            }
            let mut rest = &chunk[..count];
            while !rest.is_empty() {
                let (taken, failure) = self.recorder().take_ahead(sender, rest);
                Self::report(failure);
                let (now, later) = rest.split_at(taken);
                rest = later;
                let passed_on = write_all(to, now);
                Self::report(self.recorder().settle());
                if passed_on.is_err() {
                    Self::report(self.recorder().take(sender, rest));
                    return End::ReaderGone;
                }
            }
        }
    }

    /// Records the bytes that the sender has sent although the receiver no longer reads.
    fn take_rest(&self, sender: Side, from: BorrowedFd<'_>) {
        let mut rest = ioctl_fionread(from).unwrap_or(0);
        let mut chunk = vec![0; CHUNK];
        while rest > 0 {
            let most = CHUNK.min(usize::try_from(rest).unwrap_or(CHUNK));
            let Ok(count @ 1..) = read(from, &mut chunk[..most]) else { return };
            rest -= count as u64;
            Self::report(self.recorder().take(sender, &chunk[..count]));
        }
    }

    /// Waits until the direction of `sender` has ended, for `GRACE` at most.
    fn await_end(&self, sender: Side) {
        let is_open = |recorder: &mut Recorder| !recorder.has_ended(sender);
        let waited = self.ended.wait_timeout_while(self.recorder(), GRACE, is_open);
        drop(waited);
    }

    /// Prints on standard error why the recording has ended early; does nothing for `None`, or when
    /// standard error cannot take it at once.
    fn report(failure: Option<io::Error>) {
        let Some(error) = failure else { return };
        let stderr = stdio::stderr();
        // A client that does not read standard error must not stop the traffic.
        let mut events = [PollFd::new(&stderr, PollFlags::OUT)];
        let is_ready = poll(&mut events, Some(&Timespec::default()));
        if is_ready.is_ok() && events[0].revents().contains(PollFlags::OUT) {
            let said = format!(
                "error: the recording cannot be written: {error}; the connection goes on without \
                 it\n"
            );
            let _ = write(stderr, said.as_bytes());
        }
    }
}

/// Waits until there are bytes to read, or the receiver has closed its end.
fn wait(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<Event, Errno> {
    loop {
        let mut events = [PollFd::new(&from, PollFlags::IN), PollFd::new(&to, PollFlags::empty())];
        match poll(&mut events, None) {
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        let is_gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        if events[1].revents().intersects(is_gone) {
            return Ok(Event::ReaderGone);
        }
        if !events[0].revents().is_empty() {
            return Ok(Event::Readable);
        }
    }
}

/// Writes all bytes to the receiver. Waits for room when the stream is in non-blocking mode.
fn write_all(to: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match write(to, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let mut events = [PollFd::new(&to, PollFlags::OUT)];
                match poll(&mut events, None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
