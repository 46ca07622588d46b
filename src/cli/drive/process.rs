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
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::mcp_server;
use crate::{
    cli::{
        child::{keep_end, last_lines, lock, named, signal, sweep, wait},
        guard::Guard,
        interrupts::Interrupts,
        record::writer::Recorder,
    },
    drive::{Agent, Received, Scenario, Stop},
    json,
    protocol::Side,
    record::{Driven, End},
};

/// How often a waiting loop looks for interrupts of the user and for the end of the process.
const TICK: Duration = Duration::from_millis(20);
/// How long to wait for the rest of standard error after the agent has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Most bytes that an agent's output may take in a recording. After that, its output is closed.
const MOST_SENT: usize = 256 << 20;
/// Bytes that each line takes in a recording in addition to its text, for counting against
/// `MOST_SENT`.
const LINE_HEAD: usize = 48;
/// Most bytes of a line that is parsed as a message, since parsed values take some sixteen times as
/// much memory. Longer lines are recorded and not parsed.
const LONGEST_MESSAGE: usize = 16 << 20;

/// How `drive` starts the agent, and what goes into its recording.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) command: &'a [OsString],
    pub(super) name: String,
    pub(super) environment: &'a [(OsString, OsString)],
    /// The working directory of the agent's sessions, in which the client reads and writes files.
    pub(super) folder: &'a Path,
    /// How long the process may take to end after each request to end, before a stronger one.
    pub(super) grace: Duration,
    /// How long the process may take to end after its input was closed at the end of a scenario.
    pub(super) patience: Duration,
    /// The file in which the run's MCP server notes the methods that are called.
    pub(super) mcp_calls: &'a Path,
    pub(super) interrupts: &'a Interrupts,
    pub(super) guard: &'a Guard,
    /// The random number of the run, 16 hexadecimal digits.
    pub(super) run: &'a str,
    pub(super) scenario: &'static Scenario,
    /// The scenarios that the run does not play, each with the reason. Only for the first scenario;
    /// empty for others.
    pub(super) left_out: &'a [(&'a str, String)],
}

/// The process of a live agent, with its recording. Dropping it ends the process.
pub(super) struct Process<'a> {
    launch: &'a Launch<'a>,
    /// Makes the file for the recording of the next process.
    next_file: &'a mut dyn FnMut() -> Result<File, String>,
    running: Option<Running>,
    /// The first process of a scenario with two; it stays idle while `running` is spoken to.
    idle: Option<Running>,
    /// How many processes the scenario has started so far; the number of the running one, from 1.
    processes: u32,
    /// How the last process ended; `None` while it runs.
    ended: Option<ExitStatus>,
    /// Whether any process had to be ended by a signal, because it outlived the end of its input.
    was_signalled: bool,
    /// The last bytes of the agent's standard error, to show when it fails.
    errors: Arc<Mutex<Vec<u8>>>,
    /// The thread that reads standard error of the last process.
    error_reader: Option<JoinHandle<()>>,
    /// Why a further process could not be started or the recording could not be written; `None`
    /// when all went well.
    failure: Option<String>,
}

/// One process of the agent with its recording and the threads for its streams.
struct Running {
    child: Child,
    group: Option<Pid>,
    recorder: Arc<Mutex<Recorder>>,
    /// The channel for lines to the agent's standard input; `None` after the input was closed.
    input: Option<Sender<Vec<u8>>>,
    writer: JoinHandle<()>,
    lines: Receiver<Vec<u8>>,
    /// Whether standard output has ended, so that nothing more is recorded from there.
    is_silent: Arc<AtomicBool>,
}

impl<'a> Process<'a> {
    /// Starts the agent. `next_file` makes the file for each recording. An error is a sentence
    /// without a full stop.
    pub(super) fn start(
        launch: &'a Launch<'a>,
        next_file: &'a mut dyn FnMut() -> Result<File, String>,
    ) -> Result<Self, String> {
        let errors = Arc::new(Mutex::new(Vec::new()));
        let mut process = Self {
            launch,
            next_file,
            running: None,
            idle: None,
            processes: 0,
            ended: None,
            was_signalled: false,
            errors,
            error_reader: None,
            failure: None,
        };
        process.run()?;
        Ok(process)
    }

    fn run(&mut self) -> Result<(), String> {
        let Launch { command, name, environment, .. } = self.launch;
        let file = (self.next_file)()?;
        let (program, arguments) = command.split_first().ok_or("no agent is named")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child =
            self.launch.guard.start(&mut command).map_err(|error| {
                format!("cannot start the agent `{}`: {error}", program.display())
            })?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        self.processes += 1;
        let driven = Driven {
            run: self.launch.run,
            scenario: self.launch.scenario.name,
            process: self.processes,
            plays: Side::Client,
            ends_anywhere: !self.launch.scenario.must_survive,
            left_out: if self.processes == 1 { self.launch.left_out } else { &[] },
        };
        let recorder = Recorder::begin(file, name, arguments.len(), Some(&driven));
        let recorder = recorder.map_err(|error| {
            sweep(group);
            let _ = child.wait();
            self.launch.guard.forget(group);
            format!("cannot write the recording: {error}")
        })?;
        let recorder = Arc::new(Mutex::new(recorder));
        let is_silent = Arc::new(AtomicBool::new(false));
        let (input, to_write) = mpsc::channel();
        let (hand_on, lines) = mpsc::channel();
        let writer = {
            let stdin = child.stdin.take();
            thread::spawn(move || write(stdin, &to_write))
        };
        if let Some(stdout) = child.stdout.take() {
            let reader = OutputReader {
                recorder: Arc::clone(&recorder),
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
            self.error_reader = Some(thread::spawn(move || keep_end(stderr, &errors)));
        }
        let input = Some(input);
        self.running = Some(Running { child, group, recorder, input, writer, lines, is_silent });
        self.ended = None;
        Ok(())
    }

    /// Ends the process with all its children and completes the recording. Closes its input and
    /// waits for `patience`, then sends SIGTERM and waits for `grace`, then sends SIGKILL.
    fn end_within(&mut self, patience: Duration) {
        let Some(mut running) = self.running.take() else { return };
        let interrupts = self.launch.interrupts;
        if running.input.take().is_some() {
            lock(&running.recorder).end(Side::Client, End::Eof);
        }
        if self.ended.is_none() && !interrupts.is_asked() {
            self.ended = wait(&mut running.child, Instant::now() + patience, Some(interrupts));
        }
        if self.ended.is_none() {
            self.was_signalled = true;
            signal(running.group, Signal::TERM);
            self.ended = wait(&mut running.child, Instant::now() + self.launch.grace, None);
        }
        sweep(running.group);
        if self.ended.is_none() {
            self.ended = running.child.wait().ok();
        }
        self.launch.guard.forget(running.group);
        // What is in the pipe still belongs to the recording. A child that left the group may hold the
        // pipe open for ever.
        let deadline = Instant::now() + self.launch.grace;
        while !running.is_silent.load(Ordering::SeqCst)
            && Instant::now() < deadline
            && !interrupts.is_asked()
        {
            thread::sleep(TICK);
        }
        let mut recorder = lock(&running.recorder);
        recorder.end(Side::Client, End::ReaderGone);
        recorder.end(Side::Agent, End::Eof);
        recorder.close();
        let failure = recorder.failure().map(|why| format!("cannot write the recording: {why}"));
        self.failure = self.failure.take().or(failure);
        drop(recorder);
        if let Some(idle) = self.idle.take() {
            self.running = Some(idle);
            let ended = self.ended.take();
            self.end_within(patience);
            self.ended = ended;
        }
    }

    /// Ends the process and completes the recording. `state` is the state of the scenario and the
    /// text beside it, to be recorded.
    pub(super) fn end(&mut self, state: Option<(&str, &str)>) {
        if let Some(running) = &self.running
            && let Some((state, step)) = state
        {
            lock(&running.recorder).scenario(self.launch.scenario.name, state, step);
        }
        self.end_within(self.launch.patience);
    }

    /// Whether any process had to be ended by a signal, because it outlived the end of its input.
    pub(super) fn was_signalled(&self) -> bool {
        self.was_signalled
    }

    /// How the process ended, such as `status 0` or `signal 15`; `None` while it runs.
    pub(super) fn ended(&self) -> Option<String> {
        self.ended.map(named)
    }

    /// The last lines of the agent's standard error, at most `most`. If the agent has ended, waits
    /// half a second at most for the rest.
    pub(super) fn last_errors(&self, most: usize) -> Vec<String> {
        let deadline = Instant::now() + LAST_WORDS;
        let is_read = || self.error_reader.as_ref().is_none_or(JoinHandle::is_finished);
        while self.ended.is_some() && !is_read() && Instant::now() < deadline {
            thread::sleep(TICK);
        }
        last_lines(&self.errors, most)
    }

    /// Why a further process could not be started or the recording could not be written, as a
    /// sentence without a full stop. Returns it once.
    pub(super) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Resolves a path that an agent gives for reading or writing. Fails when the path is outside
    /// of the session's folder, also by symbolic links.
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
        self.end(None);
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
        /// How long lines of an agent that has ended are still read, since it may have sent them
        /// before.
        const LAST_LINES: Duration = Duration::from_millis(200);
        let Some(running) = &mut self.running else { return Received::Ended };
        let mut looked = Instant::now();
        let mut last: Option<Instant> = None;
        loop {
            if self.launch.interrupts.is_asked() {
                return Received::Interrupted;
            }
            // A child of the agent may hold its output open, and even write to it.
            if self.ended.is_none() && looked.elapsed() >= TICK {
                looked = Instant::now();
                self.ended = running.child.try_wait().ok().flatten();
            }
            if self.ended.is_some() && last.is_none() {
                last = Some(Instant::now() + LAST_LINES);
            }
            let until = last.map_or(deadline, |last| last.min(deadline));
            let left = until.saturating_duration_since(Instant::now());
            match running.lines.recv_timeout(left.min(TICK)) {
                Ok(line) if line.is_empty() => return Received::TooLong,
                Ok(line) => {
                    if let Some(message) = message(&line) {
                        return Received::Message(message);
                    }
                    if Instant::now() >= until {
                        return if last.is_some() { Received::Ended } else { Received::Nothing };
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let soon = Instant::now() + LAST_LINES;
                    self.ended = self.ended.or_else(|| wait(&mut running.child, soon, None));
                    return Received::Ended;
                }
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => {}
                Err(RecvTimeoutError::Timeout) if last.is_some() => return Received::Ended,
                Err(RecvTimeoutError::Timeout) => return Received::Nothing,
            }
        }
    }

    fn close_input(&mut self, within: Duration) -> Option<String> {
        let running = self.running.as_mut()?;
        if running.input.take().is_some() {
            let deadline = Instant::now() + within;
            let interrupts = self.launch.interrupts;
            while !interrupts.is_asked()
                && !running.writer.is_finished()
                && Instant::now() < deadline
            {
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
        // It may store its sessions at the end of its input.
        self.end_within(self.launch.grace);
        self.run().map_err(|why| {
            self.failure = Some(why);
            Stop::Ended
        })
    }

    fn start_another(&mut self) -> Result<(), Stop> {
        self.idle = self.running.take();
        self.run().map_err(|why| {
            self.failure = Some(why);
            self.running = self.idle.take();
            Stop::Ended
        })
    }

    fn mcp_server(&self) -> Option<Value> {
        mcp_server::description(self.launch.mcp_calls)
    }

    fn mcp_calls(&self) -> Vec<String> {
        mcp_server::called(self.launch.mcp_calls)
    }

    fn read_file(&self, path: &str) -> Result<String, String> {
        /// Most bytes of a file that are read for the agent; the rest is cut off.
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

/// Reads an agent's standard output in a thread: records all bytes, and hands whole lines on to the
/// player.
struct OutputReader {
    recorder: Arc<Mutex<Recorder>>,
    hand_on: Sender<Vec<u8>>,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    is_too_long: bool,
    /// Bytes that the output takes in the recording so far, against `MOST_SENT`.
    sent: usize,
}

impl OutputReader {
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
        lock(&self.recorder).end(Side::Agent, end);
    }

    /// Hands on each line that ends in these bytes, without its line break, and keeps the rest. Of a
    /// line that is too long, nothing is kept: it is handed on empty.
    fn take(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.keep(&rest[..end]);
            let line = mem::take(&mut self.line);
            if mem::take(&mut self.is_too_long) || !line.is_empty() {
                // The player may be done.
                let _ = self.hand_on.send(line);
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

/// The JSON-RPC message in a line, an object with `id` or `method`; `None` for other lines.
fn message(line: &[u8]) -> Option<Value> {
    json::value(line, |root| root.get("id").or(root.get("method")).is_some())
}

/// Writes the lines from the channel to the agent's standard input. Ends, and closes standard
/// input, when the channel is closed or the agent reads no more.
fn write(stdin: Option<ChildStdin>, lines: &Receiver<Vec<u8>>) {
    let Some(mut stdin) = stdin else { return };
    for line in lines {
        // The agent reads no more.
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}
