//! The agent as a process: its pipes, its recording, and its end.
//!
//! One thread reads standard output, records it and hands messages on. One writes standard input, so that
//! the player never waits for an agent that reads nothing. One keeps the end of standard error. The
//! process leads a group of its own, which is ended as a whole.

use std::{
    ffi::OsString,
    fs::File,
    io::{Read, Write},
    mem,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::{
    cli::{interrupts::Interrupts, record::writer::Recorder},
    drive::{Agent, Received, Stop},
    protocol::Side,
    record::End,
};

/// How often interrupts and the end of the process are looked for.
const TICK: Duration = Duration::from_millis(20);
/// How much an agent may send, in bytes as recorded. Beyond it, its output is closed.
const MOST_SENT: usize = 256 << 20;
/// What a line takes in a recording beside its own bytes.
const LINE_HEAD: usize = 48;
/// The longest line that is read as a message, in bytes.
const LONGEST_MESSAGE: usize = 64 << 20;
/// How much of the end of standard error is kept, in bytes.
const STDERR_KEPT: usize = 64 << 10;

/// How to start the agent, and what it needs of the run.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) command: &'a [OsString],
    pub(super) name: String,
    pub(super) environment: &'a [(OsString, OsString)],
    /// The folder of its sessions.
    pub(super) folder: &'a Path,
    pub(super) grace: Duration,
    pub(super) interrupts: &'a Interrupts,
    /// Whether the recordings say where they end.
    pub(super) ends: bool,
}

/// A live agent with its recording.
pub(super) struct Process<'a> {
    launch: &'a Launch<'a>,
    /// Makes the file of the recording of another process.
    next_file: &'a mut dyn FnMut() -> Result<File, String>,
    running: Option<Running>,
    /// How the last process ended; `None` while it runs.
    ended: Option<ExitStatus>,
    /// The end of standard error.
    errors: Arc<Mutex<Vec<u8>>>,
    /// Why another process could not be started, or the recording not be written.
    failure: Option<String>,
}

/// What belongs to one process.
struct Running {
    child: Child,
    group: Option<Pid>,
    recorder: Arc<Mutex<Recorder>>,
    /// Lines for standard input; `None` when it is closed.
    input: Option<Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    messages: Receiver<Value>,
    /// Whether nothing more comes from standard output.
    is_silent: Arc<AtomicBool>,
}

impl<'a> Process<'a> {
    /// Starts the agent. `next_file`: makes a file for each recording. An error is a sentence without
    /// a full stop.
    pub(super) fn start(
        launch: &'a Launch<'a>,
        next_file: &'a mut dyn FnMut() -> Result<File, String>,
    ) -> Result<Self, String> {
        let errors = Arc::new(Mutex::new(Vec::new()));
        let mut process =
            Self { launch, next_file, running: None, ended: None, errors, failure: None };
        process.run()?;
        Ok(process)
    }

    fn run(&mut self) -> Result<(), String> {
        let Launch { command, name, environment, .. } = self.launch;
        let file = (self.next_file)()?;
        let (program, arguments) = command.split_first().ok_or("no agent is named")?;
        let mut child = Command::new(program)
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("cannot start the agent `{}`: {error}", program.display()))?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let recorder = Recorder::begin(file, name, arguments.len());
        let recorder = recorder.map_err(|error| {
            sweep(group);
            let _ = child.wait();
            format!("cannot write the recording: {error}")
        })?;
        let recorder = Arc::new(Mutex::new(recorder));
        let is_silent = Arc::new(AtomicBool::new(false));
        let (input, lines) = mpsc::channel();
        let (hand_on, messages) = mpsc::channel();
        let writer = {
            let stdin = child.stdin.take();
            thread::spawn(move || write(stdin, &lines))
        };
        if let Some(stdout) = child.stdout.take() {
            let reader = Reader {
                recorder: Arc::clone(&recorder),
                ends: self.launch.ends,
                hand_on,
                line: Vec::new(),
                is_too_long: false,
                sent: 0,
            };
            let is_silent = Arc::clone(&is_silent);
            thread::spawn(move || {
                reader.read(stdout);
                is_silent.store(true, Ordering::SeqCst);
            });
        }
        if let Some(stderr) = child.stderr.take() {
            let errors = Arc::clone(&self.errors);
            thread::spawn(move || keep_end(stderr, &errors));
        }
        let input = Some(input);
        self.running = Some(Running { child, group, recorder, input, writer, messages, is_silent });
        self.ended = None;
        Ok(())
    }

    /// Ends the process and all of its group, and completes the recording.
    pub(super) fn end(&mut self) {
        let Some(mut running) = self.running.take() else { return };
        running.input = None;
        if self.ended.is_none() {
            signal(running.group, Signal::TERM);
            self.ended = wait(&mut running.child, Instant::now() + self.launch.grace, None);
        }
        sweep(running.group);
        if self.ended.is_none() {
            self.ended = running.child.wait().ok();
        }
        // What is in the pipe still belongs to the recording. A child that left the group may hold the
        // pipe open for ever.
        let deadline = Instant::now() + self.launch.grace;
        while !running.is_silent.load(Ordering::SeqCst) && Instant::now() < deadline {
            thread::sleep(TICK);
        }
        let mut recorder = lock(&running.recorder);
        if self.launch.ends {
            recorder.end(Side::Client, End::ReaderGone);
            recorder.end(Side::Agent, End::Eof);
        }
        let failure = recorder.failure().map(|why| format!("cannot write the recording: {why}"));
        self.failure = self.failure.take().or(failure);
    }

    /// How the process ended: `status 0` or `signal 15`; `None` while it runs.
    pub(super) fn ended(&self) -> Option<String> {
        self.ended.map(name)
    }

    /// The last lines of standard error.
    pub(super) fn last_errors(&self, most: usize) -> Vec<String> {
        let errors = lock(&self.errors);
        let text = String::from_utf8_lossy(&errors);
        let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(most)..].iter().map(|&line| line.to_owned()).collect()
    }

    /// Why another process could not be started, or the recording not be written, as a sentence without
    /// a full stop.
    pub(super) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// A path below the folder of the sessions. Links that lead out of it do not count.
    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || format!("`{path}` is not in the session's folder");
        let folder = self.launch.folder.canonicalize().map_err(|error| error.to_string())?;
        let path_in = Path::new(path);
        let parent = path_in.parent().filter(|_| path_in.is_absolute()).ok_or_else(outside)?;
        let parent = parent.canonicalize().map_err(|error| error.to_string())?;
        let name = path_in.file_name().ok_or_else(outside)?;
        let path_in = parent.join(name);
        let is_link = path_in.is_symlink();
        (parent.starts_with(folder) && !is_link).then_some(path_in).ok_or_else(outside)
    }
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

impl Agent for Process<'_> {
    fn send(&mut self, line: &str) {
        let Some(running) = &mut self.running else { return };
        if let Some(input) = &running.input {
            let bytes = [line.as_bytes(), b"\n"].concat();
            // It is in the recording before the agent can answer.
            lock(&running.recorder).take(Side::Client, &bytes);
            // When the writer has gone, the agent reads no more.
            let _ = input.send(bytes);
        }
    }

    fn receive(&mut self, deadline: Instant) -> Received {
        let Some(running) = &mut self.running else { return Received::Ended };
        loop {
            if self.launch.interrupts.is_asked() {
                return Received::Interrupted;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match running.messages.recv_timeout(left.min(TICK)) {
                Ok(message) => return Received::Message(message),
                Err(RecvTimeoutError::Disconnected) => {
                    let soon = Instant::now() + Duration::from_millis(200);
                    self.ended = self.ended.or_else(|| wait(&mut running.child, soon, None));
                    return Received::Ended;
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Received::Nothing,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn close_input(&mut self, within: Duration) -> Option<String> {
        let running = self.running.as_mut()?;
        if running.input.take().is_some() {
            let deadline = Instant::now() + within;
            while !running.writer.is_finished() && Instant::now() < deadline {
                thread::sleep(TICK);
            }
            lock(&running.recorder).end(Side::Client, End::Eof);
        }
        let deadline = Instant::now() + within;
        let interrupts = Some(self.launch.interrupts);
        self.ended = wait(&mut running.child, deadline, interrupts);
        self.ended()
    }

    fn restart(&mut self) -> Result<(), Stop> {
        self.end();
        self.run().map_err(|why| {
            self.failure = Some(why);
            Stop::Ended
        })
    }

    fn read_file(&self, path: &str) -> Result<String, String> {
        /// Larger files are none of the session's.
        const MOST: u64 = 16 << 20;
        let path = self.inside(path)?;
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn write_file(&self, path: &str, text: &str) -> Result<(), String> {
        std::fs::write(self.inside(path)?, text).map_err(|error| error.to_string())
    }
}

/// Reads standard output.
struct Reader {
    recorder: Arc<Mutex<Recorder>>,
    ends: bool,
    hand_on: Sender<Value>,
    /// The beginning of a line.
    line: Vec<u8>,
    is_too_long: bool,
    /// How much came, as recorded.
    sent: usize,
}

impl Reader {
    fn read(mut self, mut stdout: impl Read) {
        let mut chunk = vec![0; 64 << 10];
        let mut end = End::Eof;
        while let Ok(count) = stdout.read(&mut chunk) {
            if count == 0 {
                break;
            }
            let bytes = &chunk[..count];
            let lines = memchr::memchr_iter(b'\n', bytes).count();
            self.sent += count + lines * LINE_HEAD;
            if self.sent > MOST_SENT {
                lock(&self.recorder).gap(Side::Agent, count as u64, "more than 256 MiB");
                end = End::ReaderGone;
                break;
            }
            lock(&self.recorder).take(Side::Agent, bytes);
            self.take(bytes);
        }
        drop(stdout);
        if self.ends {
            lock(&self.recorder).end(Side::Agent, end);
        }
    }

    /// Hands on the messages that end in these bytes.
    fn take(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.keep(&rest[..end]);
            let line = mem::take(&mut self.line);
            if !mem::take(&mut self.is_too_long)
                && let Ok(message) = serde_json::from_slice::<Value>(&line)
                && message.is_object()
            {
                // The player may be done.
                let _ = self.hand_on.send(message);
            }
            rest = &rest[end + 1..];
        }
        self.keep(rest);
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > LONGEST_MESSAGE {
            self.is_too_long = true;
            self.line = Vec::new();
        } else if !self.is_too_long {
            self.line.extend_from_slice(bytes);
        }
    }
}

/// Writes lines to standard input until there are no more, and closes it.
fn write(stdin: Option<ChildStdin>, lines: &Receiver<Vec<u8>>) {
    let Some(mut stdin) = stdin else { return };
    for line in lines {
        // The agent reads no more.
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Reads to the end, and keeps the last bytes.
fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 8 << 10];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        let mut kept = lock(kept);
        kept.extend_from_slice(&chunk[..count]);
        let beyond = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..beyond);
    }
}

/// Waits for the end of a process. Returns `None` when it runs at the deadline, or when the user
/// interrupts the run.
fn wait(
    child: &mut Child,
    deadline: Instant,
    interrupts: Option<&Interrupts>,
) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline || interrupts.is_some_and(Interrupts::is_asked) {
            return None;
        }
        thread::sleep(TICK);
    }
}

fn name(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}

/// Sends a signal to all processes of a group.
fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // A group that is gone needs none.
        let _ = kill_process_group(group, signal);
    }
}

/// Ends the processes that a group still has.
fn sweep(group: Option<Pid>) {
    signal(group, Signal::KILL);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
