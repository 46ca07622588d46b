//! `acpcheck record`: the client and the agent notice nothing, and the recording holds what they sent.
//!
//! The agents are shell scripts with names of their own, by which they and the side process are found
//! among the processes.
#![cfg(unix)]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    os::{
        fd::OwnedFd,
        unix::{
            fs::PermissionsExt,
            net::UnixStream,
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use super::{effort, run::run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");
/// Longer than anything takes that ends by itself.
const LONG: Duration = Duration::from_secs(60);

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"kettle","version":"1.0.0"}}}"#;

/// Does until the end of its input what `cat` does.
const ECHO: &str = "exec cat";
/// Ignores the end of its input and takes a while to end.
const STUBBORN: &str =
    "trap 'sleep 0.4; exit 7' TERM\necho '\"ready\"'\nwhile :; do sleep 0.05; done";
/// Ends with 5 at the end of its input.
const POLITE: &str = "echo '\"ready\"'\ncat >/dev/null\nexit 5";

/// A folder with an agent in it, and with recordings.
struct Place {
    folder: TempDir,
    agent: PathBuf,
}

impl Place {
    fn new(script: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = TempDir::new().unwrap();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let agent = folder.path().join(format!("agent-{}-{number}", std::process::id()));
        // Written elsewhere first, so that no process that is started meanwhile has it open.
        let status = Command::new("sh")
            .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\"; chmod 755 \"$1\"", "sh"])
            .arg(&agent)
            .arg(script)
            .status()
            .unwrap();
        assert!(status.success());
        Self { folder, agent }
    }

    fn name(&self) -> &str {
        self.agent.file_name().unwrap().to_str().unwrap()
    }

    /// The command that records the agent into `recordings/`.
    fn command(&self) -> Command {
        self.command_with(&["-o", "recordings/"])
    }

    fn command_with(&self, options: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("record").args(options).arg("--").arg(&self.agent);
        self.piped(command)
    }

    fn direct(&self) -> Command {
        self.piped(Command::new(&self.agent))
    }

    fn piped(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The only recording, once it is complete.
    fn recording(&self) -> Recorded {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        Recorded::read(&files[0])
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("recordings")) else {
            return Vec::new();
        };
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// Ids of the processes in whose arguments the agent's name stands.
    fn processes(&self) -> Vec<u32> {
        let output = Command::new("ps").args(["-eo", "pid=,stat=,args="]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter(|line| line.contains(self.name()));
        let alive = lines.filter(|line| !line.split_whitespace().nth(1).unwrap().starts_with('Z'));
        alive.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
    }

    fn side_process(&self) -> u32 {
        let output = Command::new("ps").args(["-eo", "pid=,args="]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mark = format!("record-side {}", self.name());
        let line = text.lines().find(|line| line.contains(&mark)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Waits until no process of the agent is left; the processes that are left all the same.
    fn survivors(&self) -> Vec<u32> {
        eventually(|| self.processes().is_empty());
        self.processes()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for id in self.processes() {
            let _ = kill_process(pid(id), Signal::KILL);
        }
    }
}

/// A recording that has been read.
struct Recorded {
    lines: Vec<(Value, String)>,
}

impl Recorded {
    /// Waits until the file is complete: its lock is free.
    fn read(path: &Path) -> Self {
        File::open(path).unwrap().lock_shared().unwrap();
        Self::of(&fs::read_to_string(path).unwrap())
    }

    fn of(text: &str) -> Self {
        assert!(text.ends_with('\n'), "{text}");
        let line = |line: &str| {
            let value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            (value, line.to_owned())
        };
        Self { lines: text.lines().map(line).collect() }
    }

    /// What a side has sent.
    fn stream(&self, direction: &str) -> Vec<u8> {
        let own = self.lines.iter().filter(|(value, _)| value["dir"] == direction);
        own.flat_map(|(value, line)| bytes(value, line)).collect()
    }

    fn events(&self) -> Vec<String> {
        let events = self.lines.iter().filter(|(value, _)| value.get("event").is_some());
        let mut events: Vec<_> = events
            .map(|(value, _)| {
                let direction = value["dir"].as_str().unwrap_or("-");
                format!("{direction} {}", value["event"].as_str().unwrap())
            })
            .collect();
        events.sort();
        events
    }

    fn gaps(&self) -> usize {
        self.lines.iter().filter(|(value, _)| value.get("gap").is_some()).count()
    }
}

/// The bytes that a line of a recording stands for.
fn bytes(value: &Value, line: &str) -> Vec<u8> {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let eol = value.get("eol").map_or("\n", |eol| eol.as_str().unwrap());
    let mut bytes = if value.get("msg").is_some() {
        let start = line.find("\"msg\":").unwrap() + "\"msg\":".len();
        line.as_bytes()[start..line.len() - 1].to_vec()
    } else if let Some(text) = value.get("text") {
        text.as_str().unwrap().as_bytes().to_vec()
    } else if let Some(text) = value.get("base64") {
        STANDARD.decode(text.as_str().unwrap()).unwrap()
    } else {
        return Vec::new();
    };
    bytes.extend_from_slice(eol.as_bytes());
    bytes
}

fn pid(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
}

/// Waits for something, as long as it takes, but not for ever.
fn eventually(mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < LONG {
        if is_so() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Waits for the end of a process, but not for ever.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    let mut status = None;
    eventually(|| {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status
}

fn read_all(mut from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    from.read_to_end(&mut bytes).unwrap();
    bytes
}

fn ignores(command: &str, arguments: &[&str]) -> bool {
    !Command::new(command).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// How a client ends an agent.
#[derive(Clone, Copy, Debug)]
enum How {
    Signal(Signal),
    SignalGroup(Signal),
    EndOfFile,
}

/// How an agent ends, and whether it is left running.
fn end(mut command: Command, place: &Place, how: How) -> (Option<ExitStatus>, bool) {
    let mut child = command.process_group(0).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "\"ready\"\n");
    let id = pid(child.id());
    match how {
        How::Signal(signal) => kill_process(id, signal).unwrap(),
        How::SignalGroup(signal) => kill_process_group(id, signal).unwrap(),
        How::EndOfFile => drop(child.stdin.take()),
    }
    let status = ended(&mut child);
    drop(child);
    (status, !place.survivors().is_empty())
}

#[test]
fn clients_end_agents_as_without_a_recorder() {
    let cases = [
        (How::Signal(Signal::TERM), STUBBORN, (Some(7), None)),
        (How::Signal(Signal::KILL), STUBBORN, (None, Some(9))),
        (How::SignalGroup(Signal::TERM), STUBBORN, (Some(7), None)),
        (How::SignalGroup(Signal::KILL), STUBBORN, (None, Some(9))),
        (How::EndOfFile, POLITE, (Some(5), None)),
    ];
    thread::scope(|scope| {
        for (how, script, expected) in cases {
            scope.spawn(move || {
                for is_recorded in [false, true] {
                    let place = Place::new(script);
                    let command = if is_recorded { place.command() } else { place.direct() };
                    let (status, is_left) = end(command, &place, how);
                    let status = status.unwrap();
                    let told = (status.code(), status.signal());
                    assert_eq!((told, is_left), (expected, false), "{how:?}");
                    if is_recorded {
                        let ends = place.recording().events();
                        // The client closes its ends, too, as soon as the agent has ended.
                        let directions: Vec<_> = ends.iter().map(|end| &end[..3]).collect();
                        assert_eq!(directions, ["a2c", "c2a"], "{how:?}: {ends:?}");
                    }
                }
            });
        }
    });
}

#[test]
fn an_agent_that_ignores_the_end_of_its_input_runs_on() {
    for is_recorded in [false, true] {
        let place = Place::new(STUBBORN);
        let mut command = if is_recorded { place.command() } else { place.direct() };
        let mut child = command.spawn().unwrap();
        drop(child.stdin.take());
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none());
        kill_process(pid(child.id()), Signal::TERM).unwrap();
        assert_eq!(ended(&mut child).unwrap().code(), Some(7));
    }
}

#[test]
fn statuses_and_standard_error_are_the_agents() {
    for status in [0, 1, 5, 126, 127, 255] {
        let place = Place::new(&format!("echo said >&2; exit {status}"));
        let child = place.command().spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        assert_eq!((output.stderr, output.stdout), (b"said\n".to_vec(), Vec::new()));
    }
}

#[test]
fn what_the_agent_is_stays_as_it_is() {
    // Process, parent, group, session, folder, environment and arguments.
    let place = Place::new(
        "echo \"\\\"$$ $PPID $(ps -o pgid= -p $$) $(ps -o sid= -p $$) $PWD $KEY $*\\\"\"",
    );
    let mut command = place.command();
    command.args(["--acp", "-o", "x", "--help"]).env("KEY", "secret");
    let child = command.process_group(0).spawn().unwrap();
    let id = child.id();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.trim().trim_matches('"').split_whitespace().collect();
    let own = std::process::id();
    let folder = place.folder.path().canonicalize().unwrap();
    assert_eq!(words[0], id.to_string(), "{text}");
    assert_eq!(words[1], own.to_string());
    assert_eq!(words[2], id.to_string());
    assert_eq!(Path::new(words[4]).canonicalize().unwrap(), folder);
    assert_eq!(words[5..], ["secret", "--acp", "-o", "x", "--help"]);
    let recording = place.recording();
    let (start, line) = &recording.lines[0];
    assert_eq!((&start["agent"], &start["arguments"]), (&place.name().into(), &4.into()));
    assert!(!line.contains("secret"), "{line}");
}

/// The side process is not a child of the agent, and has no session or folder of the client's.
#[test]
#[cfg(target_os = "linux")]
fn the_side_process_stands_apart() {
    let place = Place::new("read -r own < /proc/$$/task/$$/children; echo \"$own\"; exec cat");
    let mut command = Command::new("sh");
    // A lock, as clients hold them, and a client that does not care for its children.
    let script = "trap '' CHLD; exec 7>lock; exec \"$0\" record -o recordings/ -- \"$1\"";
    command.args(["-c", script, PROGRAM]).arg(&place.agent);
    let mut child = place.piped(command).spawn().unwrap();
    let mut children = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut children).unwrap();
    assert_eq!(children.trim(), "");
    let side = place.side_process();
    let link = |id: u32, name: &str| fs::read_link(format!("/proc/{id}/{name}")).unwrap();
    let held = |id: u32| -> Vec<PathBuf> {
        let entries = fs::read_dir(format!("/proc/{id}/fd")).unwrap();
        entries.map(|entry| fs::read_link(entry.unwrap().path()).unwrap()).collect()
    };
    let lock = place.folder.path().canonicalize().unwrap().join("lock");
    assert!(held(child.id()).contains(&lock), "the agent has what the client gave it");
    assert!(!held(side).contains(&lock), "{:?}", held(side));
    for stream in ["fd/0", "fd/1"] {
        assert_eq!(link(side, stream), Path::new("/dev/null"));
    }
    assert_eq!(link(side, "cwd"), Path::new("/"));
    let session = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        stat.rsplit(')').next().unwrap().split_whitespace().nth(3).unwrap().to_owned()
    };
    assert_ne!(session(side), session(child.id()));
    drop(child.stdin.take());
    assert_eq!(ended(&mut child).unwrap().code(), Some(0));
    assert!(place.survivors().is_empty());
}

#[test]
fn a_recording_is_complete_before_the_client_sees_the_end() {
    let place = Place::new("head -n 1; exit 3");
    let mut child = place.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{INITIALIZE}").unwrap();
    let said = read_all(child.stdout.take().unwrap());
    // The client keeps the agent's input open. Nothing is waited for.
    let recording = Recorded::of(&fs::read_to_string(&place.files()[0]).unwrap());
    assert_eq!(recording.events(), ["a2c eof", "c2a reader-gone"]);
    assert_eq!(said, recording.stream("a2c"));
    assert_eq!(recording.stream("c2a"), format!("{INITIALIZE}\n").into_bytes());
    assert_eq!(ended(&mut child).unwrap().code(), Some(3));
    // Who waits for the end of standard error is not kept waiting.
    assert_eq!(read_all(child.stderr.take().unwrap()), b"");
    assert!(place.survivors().is_empty());
    // The client finds its pipe closed.
    assert!(eventually(|| stdin.write_all(b"x\n").is_err()));
}

/// Bytes of every kind, more than all pipes hold.
fn odd_bytes(lines: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..lines {
        let kind: &[u8] = match number % 9 {
            0 => b"{\"a\":1}\n",
            1 => b"\n",
            2 => b"starting up\r\n",
            3 => b"\xff\xfe bad\n",
            4 => b"\0\n",
            5 => b" {\"a\" : 1, \"a\":1.0e99} \r\n",
            6 => "\u{feff}{\"ü\":\"\\ud800\"}\n".as_bytes(),
            7 => b"{\"text\":\"a rather long line, so that it fills pipes sooner or later\"}\n",
            _ => b"[[[[1]]]]\n\r\n",
        };
        bytes.extend_from_slice(kind);
    }
    bytes.extend_from_slice(b"{\"cut\":");
    bytes
}

/// Sends bytes, and returns what comes back until the end.
fn through(mut to: impl Write + Send, from: impl Read, bytes: &[u8]) -> Vec<u8> {
    thread::scope(|scope| {
        scope.spawn(move || {
            to.write_all(bytes).unwrap();
            drop(to);
        });
        read_all(from)
    })
}

#[test]
fn both_streams_can_be_made_again() {
    let place = Place::new(ECHO);
    let mut child = place.command().spawn().unwrap();
    let bytes = odd_bytes(60_000);
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    assert!(through(stdin, stdout, &bytes) == bytes);
    let recording = place.recording();
    assert!(recording.stream("c2a") == bytes && recording.stream("a2c") == bytes);
    assert_eq!(recording.events(), ["a2c eof", "c2a eof"]);
    assert_eq!(ended(&mut child).unwrap().code(), Some(0));
}

/// A write end that closes the connection in its direction when it is dropped.
struct Half(UnixStream);

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.0.shutdown(std::net::Shutdown::Write).unwrap();
    }
}

#[test]
fn both_streams_may_be_one_socket_that_does_not_wait() {
    for is_nonblocking in [false, true] {
        let place = Place::new(ECHO);
        let (own, other) = UnixStream::pair().unwrap();
        other.set_nonblocking(is_nonblocking).unwrap();
        let end = || Stdio::from(OwnedFd::from(other.try_clone().unwrap()));
        let mut command = place.command();
        let mut child = command.stdin(end()).stdout(end()).spawn().unwrap();
        drop(command);
        let bytes = odd_bytes(60_000);
        let mut probe = other;
        let came = thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(ended(&mut child).unwrap().code(), Some(0));
                let _ = place.recording();
                // The client sees the end only when no process has the socket any more.
                if is_nonblocking {
                    // What one side sends is read by the other, so nothing is left to read here.
                    let error = probe.read(&mut [0]);
                    assert!(error.is_ok_and(|count| count == 0) || probe.take_error().is_ok());
                }
                drop(probe);
            });
            through(Half(own.try_clone().unwrap()), &own, &bytes)
        });
        assert!(came == bytes, "{is_nonblocking}");
        let recording = place.recording();
        assert!(recording.stream("c2a") == bytes && recording.stream("a2c") == bytes);
    }
}

#[test]
fn agents_that_cannot_be_started_are_told_apart() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("text"), "no program").unwrap();
    for (agent, status) in [("./text", 126), ("no-such-agent-anywhere", 127)] {
        let output = folder.path().join(format!("{status}.ndjson"));
        let run = run(folder.path(), &["record", "-o", output.to_str().unwrap(), agent], b"");
        assert_eq!(run.status, status, "{}", run.stderr);
        assert!(run.stderr.contains(agent), "{}", run.stderr);
        // It is complete as soon as the status is there.
        let recording = Recorded::of(&fs::read_to_string(&output).unwrap());
        assert_eq!(recording.events(), ["- not-started"]);
        assert_eq!(recording.lines.last().unwrap().0["status"], status);
        let checked = super::run::run(folder.path(), &["check", output.to_str().unwrap()], b"");
        assert!(checked.stderr.contains("could not be started"), "{}", checked.stderr);
    }
}

#[test]
fn a_recording_that_cannot_be_made_starts_no_agent() {
    let place = Place::new("touch started");
    for output in ["none/such/file.ndjson", "/dev/full", "/dev/null", ""] {
        let child = place.command_with(&["-o", output]).spawn().unwrap();
        let result = child.wait_with_output().unwrap();
        assert_eq!(result.status.code(), Some(2), "{output}");
        assert!(!result.stderr.is_empty());
    }
    let wrong: [&[&str]; 3] =
        [&["record", "true"], &["record", "-o", "x"], &["record", "-o", "x", "--no", "true"]];
    for arguments in wrong {
        assert_eq!(run(place.folder.path(), arguments, b"").status, 2, "{arguments:?}");
    }
    assert!(!place.folder.path().join("started").exists());
    assert!(!place.folder.path().join("x").exists());
}

#[test]
fn nothing_is_written_over() {
    let place = Place::new(ECHO);
    let folder = place.folder.path();
    fs::write(folder.join("a.ndjson"), "mine").unwrap();
    for _ in 0..2 {
        let mut child = place.command_with(&["-o", "a.ndjson"]).spawn().unwrap();
        drop(child.stdin.take());
        assert_eq!(ended(&mut child).unwrap().code(), Some(0));
    }
    assert_eq!(fs::read_to_string(folder.join("a.ndjson")).unwrap(), "mine");
    for name in ["a-2.ndjson", "a-3.ndjson"] {
        assert_eq!(Recorded::read(&folder.join(name)).events().len(), 2);
        let mode = fs::metadata(folder.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn two_at_once_have_a_file_each() {
    let place = Place::new(ECHO);
    let mut children: Vec<_> = (0..4).map(|_| place.command().spawn().unwrap()).collect();
    for (number, child) in children.iter_mut().enumerate() {
        writeln!(child.stdin.take().unwrap(), "{number}").unwrap();
    }
    for child in &mut children {
        ended(child).unwrap();
    }
    let files = place.files();
    assert_eq!(files.len(), 4, "{files:?}");
    let mut streams: Vec<_> = files.iter().map(|file| Recorded::read(file).stream("a2c")).collect();
    streams.sort();
    assert_eq!(streams, [b"0\n", b"1\n", b"2\n", b"3\n"]);
    for file in &files {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name.contains(place.name()) && name.ends_with(".ndjson"), "{name}");
    }
    let mode = fs::metadata(place.folder.path().join("recordings")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// What a client has read is in the recording, whenever and however all others are ended.
#[test]
fn nothing_is_lost_when_all_is_killed() {
    for number in 0..effort::times(8, 100) {
        let place = Place::new("seq 1 1000000000 &\nexec cat >/dev/null");
        let mut child = place.command().process_group(0).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let most = 20_000 + number * 7_919;
        let mut read = vec![0; most];
        stdout.read_exact(&mut read).unwrap();
        writeln!(stdin, "{number}").unwrap();
        kill_process_group(pid(child.id()), Signal::KILL).unwrap();
        stdout.read_to_end(&mut read).unwrap();
        assert_eq!(ended(&mut child).unwrap().signal(), Some(9));
        let recording = place.recording();
        assert!(recording.stream("a2c") == read, "{number}");
        assert_eq!(recording.events(), ["a2c eof", "c2a reader-gone"], "{number}");
        assert_eq!(recording.stream("c2a"), format!("{number}\n").into_bytes());
    }
}

#[test]
fn a_client_that_goes_leaves_nobody_behind() {
    let place = Place::new("seq 1 1000000000");
    let mut child = place.command().spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut read = vec![0; 50_000];
    stdout.read_exact(&mut read).unwrap();
    drop(stdout);
    drop(child.stdin.take());
    let status = ended(&mut child).unwrap();
    // As without a recorder: `seq` is ended by a signal, and the shell says so.
    assert!(!status.success());
    assert!(place.survivors().is_empty());
    let recording = place.recording();
    assert!(recording.stream("a2c").starts_with(&read));
    assert!(recording.events().contains(&"a2c reader-gone".to_owned()));
}

#[test]
fn a_client_that_does_not_read_stops_the_agent() {
    let place = Place::new("seq 1 1000000000");
    let mut child = place.command().spawn().unwrap();
    let size = || place.files().first().map_or(0, |file| fs::metadata(file).unwrap().len());
    let mut last = 0;
    assert!(eventually(|| {
        thread::sleep(Duration::from_millis(200));
        std::mem::replace(&mut last, size()) == size() && last > 10_000
    }));
    // What the pipes and one chunk hold.
    assert!(Recorded::of(&whole_lines(&place.files()[0])).stream("a2c").len() < 300_000);
    kill_process(pid(child.id()), Signal::KILL).unwrap();
    ended(&mut child).unwrap();
}

fn whole_lines(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text[..=text.rfind('\n').unwrap()].to_owned()
}

#[test]
fn both_see_a_closed_connection_when_the_side_process_dies() {
    let place = Place::new("cat\nexit 4");
    let mut child = place.command().spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    writeln!(stdin, "{INITIALIZE}").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    kill_process(pid(place.side_process()), Signal::KILL).unwrap();
    assert_eq!(read_all(stdout), b"");
    assert_eq!(ended(&mut child).unwrap().code(), Some(4));
    let recording = place.recording();
    assert_eq!(recording.stream("a2c"), format!("{INITIALIZE}\n").into_bytes());
    assert_eq!(recording.events(), [""; 0]);
}

/// A line is in the file before it is passed on, also one that is parsed afterwards.
#[test]
fn long_lines_that_were_read_are_recorded_when_the_side_process_dies() {
    let line = format!("{{\"text\":\"{}\"}}\n", "hay \\n".repeat(9_000));
    for number in 0..effort::times(3, 60) {
        let place = Place::new("while :; do cat line; done");
        fs::write(place.folder.path().join("line"), &line).unwrap();
        let mut child = place.command().spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut read = vec![0; line.len() * (3 + number % 7) + number * 611];
        stdout.read_exact(&mut read).unwrap();
        kill_process(pid(place.side_process()), Signal::KILL).unwrap();
        stdout.read_to_end(&mut read).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let whole = read.len() / line.len();
        let text = fs::read_to_string(&place.files()[0]).unwrap();
        let recorded = text.matches("\"msg\":").count();
        // The last line may be open: its message is there.
        let last = text.lines().last().unwrap();
        assert!(recorded >= whole, "{number}: {recorded} of {whole} lines");
        if recorded == whole {
            assert!(last.contains(line.trim_end()), "{number}");
        }
    }
}

/// The recording ends, and the traffic goes on.
fn assert_goes_on(mut child: Child, file: impl FnOnce() -> Recorded) {
    let bytes = odd_bytes(9_000);
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    assert!(through(stdin, stdout, &bytes) == bytes);
    let said = String::from_utf8(read_all(child.stderr.take().unwrap())).unwrap();
    assert_eq!(ended(&mut child).unwrap().code(), Some(0), "{said}");
    assert_eq!(said.matches("the recording cannot be written").count(), 1, "{said}");
    let recording = file();
    assert!(bytes.starts_with(&recording.stream("c2a")));
    assert!(recording.gaps() <= 1 && recording.events().is_empty());
}

#[test]
fn a_limit_of_file_sizes_ends_the_recording_alone() {
    let place = Place::new(ECHO);
    let script = "ulimit -f 64; exec \"$0\" record -o recordings/ -- \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, PROGRAM]).arg(&place.agent);
    assert_goes_on(place.piped(command).spawn().unwrap(), || place.recording());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_alone() {
    let mount = "mount -t tmpfs -o size=64k tmpfs disk";
    let place = Place::new(ECHO);
    fs::create_dir(place.folder.path().join("disk")).unwrap();
    let test = format!("cd {} && {mount}", place.folder.path().display());
    if ignores("unshare", &["-m", "sh", "-c", &test]) {
        return;
    }
    // The disk is gone with the processes, so its file is copied at the end.
    let script = format!(
        "{mount}; \"$0\" record -o disk/a.ndjson -- \"$1\"; status=$?; cp disk/a.ndjson .; exit $status"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script, PROGRAM]).arg(&place.agent);
    let file = place.folder.path().join("a.ndjson");
    assert_goes_on(place.piped(command).spawn().unwrap(), || Recorded::read(&file));
}

/// A terminal login runs the agent's command in a terminal.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_is_left_to_the_agent() {
    if ignores("script", &["-qec", "true", "/dev/null"]) {
        return;
    }
    let place = Place::new("test -t 0 && test -t 1 && echo inside; exit 6");
    let line = format!("{PROGRAM} record -o recordings/ -- {}", place.agent.display());
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]);
    let output = place.piped(command).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("nothing is recorded") && text.contains("inside"), "{text}");
    assert_eq!(output.status.code(), Some(6));
    assert!(place.files().is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn process_1_of_a_container_is_not_recorded() {
    if ignores("unshare", &["-p", "-f", "true"]) {
        return;
    }
    let place = Place::new("touch started");
    let mut command = Command::new("unshare");
    command.args(["-p", "-f", PROGRAM, "record", "-o", "recordings/", "--"]).arg(&place.agent);
    let output = place.piped(command).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--init"));
    assert!(!place.folder.path().join("started").exists());
}

/// A long line is forwarded as it comes, and held once.
#[test]
#[cfg(target_os = "linux")]
fn a_long_line_costs_its_length() {
    let place = Place::new("head -c 1\nexec cat");
    let mut child = place.command().spawn().unwrap();
    let length = if effort::step(2) == 1 { 100 << 20 } else { 24 << 20 };
    let mut line = vec![b'x'; length];
    line[0] = b'"';
    line[length - 1] = b'"';
    line.push(b'\n');
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    thread::scope(|scope| {
        let came = scope.spawn(move || {
            // Its beginning comes before its end is sent.
            let mut first = [0];
            stdout.read_exact(&mut first).unwrap();
            let mut rest = vec![0; length];
            stdout.read_exact(&mut rest).unwrap();
            (first, rest, stdout)
        });
        stdin.write_all(&line[..1]).unwrap();
        thread::sleep(Duration::from_millis(50));
        stdin.write_all(&line[1..]).unwrap();
        let (first, rest, _stdout) = came.join().unwrap();
        assert!(first == line[..1] && rest == line[1..]);
        let status = fs::read_to_string(format!("/proc/{}/status", place.side_process())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
        // Each direction holds it. The program itself is larger in debug builds.
        let own = if cfg!(debug_assertions) { 64 << 10 } else { 8 << 10 };
        assert!(peak < 2 * (length >> 10) + own, "{peak} kB");
        drop(stdin);
    });
    ended(&mut child).unwrap();
    assert!(place.recording().stream("a2c") == line);
}

#[test]
fn open_recordings_are_judged_as_far_as_they_go() {
    let place = Place::new("read line; echo \"$ANSWER\"; exec cat");
    let mut command = place.command();
    let mut child = command.env("ANSWER", INITIALIZED).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let check = || run(place.folder.path(), &["check", "--format=concise", "recordings"], b"");
    assert!(eventually(|| !place.files().is_empty()));
    let none = check();
    assert_eq!(none.status, 3, "{}", none.stderr);
    let is_told = none.stderr.contains("still being recorded: no message so far");
    assert!(is_told, "{}", none.stderr);
    writeln!(stdin, "{INITIALIZE}").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let open = check();
    assert_eq!(
        (open.status, &*open.stdout),
        (0, "No findings in 1 file (2 messages). Judged by ACP schemas of 2026-11-20.\n")
    );
    assert!(open.stderr.contains("the connection is still being recorded"), "{}", open.stderr);
    drop(stdin);
    assert_eq!(read_all(stdout), b"");
    let whole = check();
    assert_eq!(whole.status, 0);
    assert!(!whole.stderr.contains("recorded"), "{}", whole.stderr);
    ended(&mut child).unwrap();
}

#[test]
fn an_agent_that_never_spoke_is_named() {
    let place = Place::new("exit 1");
    let mut child = place.command().spawn().unwrap();
    ended(&mut child).unwrap();
    let _ = place.recording();
    let checked = run(place.folder.path(), &["check", "recordings"], b"");
    assert!(checked.stderr.contains("the agent never spoke"), "{}", checked.stderr);
    assert_eq!(checked.status, 3);
}

/// The lists of words that begin with the program, in snippets for editors.
fn commands(text: &str) -> Vec<Vec<String>> {
    let strings = regex::Regex::new(r#""([^"]*)""#).unwrap();
    let words: Vec<&str> =
        strings.captures_iter(text).map(|it| it.get(1).unwrap().as_str()).collect();
    let starts = words.iter().enumerate().filter(|(_, word)| **word == "acpcheck");
    let command = |(at, _): (usize, &&str)| {
        let rest = words[at + 1..].iter().filter(|word| **word != "args");
        let end = |word: &&&str| !word.contains("agents") && **word != "acpcheck";
        rest.take_while(end).map(|word| (*word).to_owned()).collect()
    };
    starts.map(command).collect()
}

/// What the README and the help give to editors records an agent.
#[test]
fn snippets_for_editors_record() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let section = readme.split("\n## Record").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap().to_owned();
    let help = run(Path::new("."), &["record", "--help"], b"").stdout;
    let own = "acpcheck record -o recordings/ -- my-agent";
    assert_eq!(help.matches(own).count(), 2, "acpx and a test suite");
    for (text, count) in [(section, 1), (help, 4)] {
        let commands = commands(&text);
        assert_eq!(commands.len(), count, "{commands:?}");
        for command in commands {
            let place = Place::new("exec cat");
            let mut arguments = command.iter().map(String::as_str);
            let head: Vec<_> = arguments.by_ref().take(4).collect();
            assert_eq!(head, ["record", "-o", "/home/me/recordings/", "--"]);
            let agent = arguments.next().unwrap();
            assert!(["my-agent", "gemini"].contains(&agent), "{agent}");
            let mut child = place.command().args(arguments.take(1)).spawn().unwrap();
            writeln!(child.stdin.take().unwrap(), "1").unwrap();
            ended(&mut child).unwrap();
            assert_eq!(place.recording().events().len(), 2);
        }
    }
}
