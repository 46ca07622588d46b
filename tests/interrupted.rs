//! Runs of `acpcheck drive` and `acpcheck play` that are ended at any moment: nothing is left behind, and
//! what was recorded is whole.
//!
//! The agent that is driven is `acpcheck play`, and the client that is played for is `acpcheck drive`.
#![cfg(unix)]

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

use super::effort;

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");

/// How a run is ended.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// A signal to the run.
    Signal(Signal),
    /// SIGKILL to the agent or the client, and to what it has started.
    Other,
    /// Nothing is to be read on standard input, and the run ends by itself.
    ClosedInput,
}

const WAYS: [Way; 6] = [
    Way::Signal(Signal::INT),
    Way::Signal(Signal::TERM),
    Way::Signal(Signal::HUP),
    Way::Signal(Signal::KILL),
    Way::Other,
    Way::ClosedInput,
];

/// A run of `drive`, or of `play` with a client. What it starts ignores the signals of a terminal where
/// `is_stubborn` is set.
fn run(folder: &Path, drives: bool, is_stubborn: bool) -> Command {
    let traps = if is_stubborn { "trap '' INT HUP TERM; " } else { "" };
    let mut command = Command::new(PROGRAM);
    command.arg(if drives { "drive" } else { "play" });
    command.args(["--timeout", "2", "--grace", "1", "-o"]).arg(folder.join("recordings"));
    if drives {
        command.args(["--prompt", "/turn", "--scenario", "initialize,turn,sessions"]);
        command.args(["--", "sh", "-c", &format!("{traps}\"$0\" play; exit $?"), PROGRAM]);
    } else {
        command.args(["--scenario", "turn,permission,plans"]);
        let client = format!(
            "{traps}\"$0\" drive --timeout 2 --grace 1 --scenario turn --prompt \"$1\" -- \"$2\"; exit 0"
        );
        command.args(["--", "sh", "-c", &client, PROGRAM, "{prompt}", "{agent}"]);
    }
    command.current_dir(folder).env("TMPDIR", folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The processes whose temporary folder this is.
fn processes(folder: &Path) -> Vec<Pid> {
    let own = format!("TMPDIR={}", folder.display());
    let has_it = |id: &str| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|it| it == own.as_bytes())
    };
    let names = fs::read_dir("/proc").unwrap().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|id| id.bytes().all(|it| it.is_ascii_digit()) && has_it(id))
        .filter_map(|id| Pid::from_raw(id.parse().unwrap()))
        .collect()
}

/// What a run has left in its temporary folder.
fn left(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name != "recordings").collect()
}

fn ended(child: &mut Child, within: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + within;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

/// A process that the run has started and that belongs to the other side.
fn other_side(folder: &Path, run: Pid) -> Option<Pid> {
    let parent = |id: Pid| {
        let status = fs::read_to_string(format!("/proc/{}/status", id.as_raw_nonzero())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        Pid::from_raw(line.trim().parse().ok()?)
    };
    let is_shell = |id: &Pid| {
        let name = fs::read_to_string(format!("/proc/{}/comm", id.as_raw_nonzero()));
        name.is_ok_and(|name| name.trim() != "acpcheck")
    };
    processes(folder).into_iter().find(|id| parent(*id) == Some(run) && is_shell(id))
}

/// Whether each recording is made of whole lines.
fn assert_whole(folder: &Path, what: &str) {
    for entry in fs::read_dir(folder.join("recordings")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap();
        assert!(
            text.is_empty() || text.ends_with('\n'),
            "{what}: {} is cut",
            entry.path().display()
        );
        for line in text.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{what}: {line}");
        }
    }
}

/// Ends a run at a moment, and checks that no process and no folder stays behind.
fn check(number: usize) {
    let way = WAYS[number % WAYS.len()];
    let (drives, is_stubborn) = ((number / WAYS.len()).is_multiple_of(2), number % 5 == 3);
    // Each moment of the first two seconds comes up, in an order of its own.
    let moment = Duration::from_millis(number as u64 * 1117 % 2000);
    let what = format!("{number}: {way:?}, drives {drives}, stubborn {is_stubborn}, {moment:?}");
    let folder = TempDir::new().unwrap();
    let mut child = run(folder.path(), drives, is_stubborn).spawn().unwrap();
    let id = Pid::from_child(&child);
    let before = ended(&mut child, moment);
    match way {
        _ if before.is_some() => {}
        Way::Signal(signal) => kill_process(id, signal).unwrap(),
        Way::Other => {
            if let Some(other) = other_side(folder.path(), id) {
                // It may have ended meanwhile.
                let _ = kill_process_group(other, Signal::KILL);
            }
        }
        Way::ClosedInput => {}
    }
    let status = ended(&mut child, Duration::from_secs(60)).unwrap_or_else(|| panic!("{what}"));
    match way {
        // The signal may come when the run has ended, but for the last steps.
        Way::Signal(signal) if before.is_none() => {
            let by_signal = status.signal() == Some(signal.as_raw());
            assert!(by_signal || status.success(), "{what}: {status}");
        }
        Way::Other => assert!(matches!(status.code(), Some(0 | 1 | 3)), "{what}: {status}"),
        _ => assert_eq!(status.code(), Some(0), "{what}"),
    }
    let begun = Instant::now();
    while !(processes(folder.path()).is_empty() && left(folder.path()).is_empty())
        && begun.elapsed() < Duration::from_secs(10)
    {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(processes(folder.path()), [], "{what}");
    assert_eq!(left(folder.path()), [""; 0], "{what}");
    if !matches!(way, Way::Signal(Signal::KILL)) {
        assert_whole(folder.path(), &what);
    }
}

#[test]
fn a_run_that_is_ended_at_any_moment_leaves_nothing() {
    for number in 0..effort::times(2, 50) {
        check(number * 7 + 1);
    }
}
