//! `check --watch`: what changes is checked again, until it is interrupted.
#![cfg(unix)]

use std::{
    cell::RefCell,
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use super::support::OPENING;

/// A program that watches, and what it says.
pub(crate) struct Watcher {
    child: Child,
    lines: Receiver<String>,
    /// What it has said that nobody has asked for yet. Its two streams overtake one another.
    said: RefCell<Vec<String>>,
}

impl Watcher {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        // What a shell starts in the background ignores interrupts, and so does what that starts.
        const HEEDING: [&str; 2] = ["env", "--default-signal=INT"];
        let program = env!("CARGO_BIN_EXE_acpcheck");
        let [env, option] = HEEDING;
        let is_there = Command::new(env).args([option, "true"]).output();
        let mut command = if is_there.is_ok_and(|output| output.status.success()) {
            let mut command = Command::new(env);
            command.args([option, program]);
            command
        } else {
            Command::new(program)
        };
        let mut child = command
            .current_dir(folder)
            .args(["check", "--watch", "--format=concise"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = mpsc::channel();
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(stream).lines() {
                    let _ = sender.send(line.unwrap());
                }
            });
        }
        Self { child, lines, said: RefCell::default() }
    }

    /// Waits for this line among those that come. It takes as long as it takes, but not for ever.
    pub(crate) fn says(&self, expected: &str) {
        let mut said = self.said.borrow_mut();
        loop {
            if let Some(place) = said.iter().position(|line| line.contains(expected)) {
                said.remove(place);
                return;
            }
            let line = self.lines.recv_timeout(Duration::from_secs(120));
            let Ok(line) = line else { panic!("instead of `{expected}`: {said:#?}") };
            assert!(!line.contains('\u{1b}'), "{line}");
            said.push(line);
        }
    }

    /// Whether it has said this since it was asked for last.
    pub(crate) fn has_said(&self, unexpected: &str) -> bool {
        self.said.borrow().iter().any(|line| line.contains(unexpected))
    }

    /// The exit status; `None` where the signal ended it.
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn an_empty_folder_is_waited_for() {
    let folder = TempDir::new().unwrap();
    let watcher = Watcher::start(folder.path(), &["."]);
    watcher.says("no transcript yet: waiting for one");
    assert!(!watcher.said.borrow().iter().any(|line| line.contains("error")));
    fs::write(folder.path().join("a.ndjson"), OPENING).unwrap();
    watcher.says("new: `./a.ndjson`");
    watcher.says("No findings in 1 file");
    watcher.interrupt();
}

#[test]
fn what_changes_is_checked_again() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("a.ndjson", OPENING);
    write("b.ndjson", OPENING);
    let watcher = Watcher::start(folder.path(), &["."]);
    watcher.says("No findings in 2 files");
    watcher.says("watching 2 files");
    write("a.ndjson", &(OPENING.to_owned() + "starting up\n"));
    watcher.says("changed: `./a.ndjson`");
    watcher.says("a.ndjson:5:1: error[transport/not-json]");
    watcher.says("watching 2 files");
    write("c.ndjson", OPENING);
    watcher.says("new: `./c.ndjson`");
    // What was found in other files stays on display.
    watcher.says("a.ndjson:5:1: error[transport/not-json]");
    watcher.says("watching 3 files");
    fs::remove_file(folder.path().join("b.ndjson")).unwrap();
    watcher.says("removed: `./b.ndjson`");
    watcher.says("a.ndjson:5:1: error[transport/not-json]");
    watcher.says("watching 2 files");
    // The configuration concerns all of them, and mistakes in it end nothing.
    write("acpcheck.toml", "profil = 'strict'");
    watcher.says("unknown key `profil`");
    watcher.says("watching 2 files");
    write("acpcheck.toml", "[[ignore]]\nrules = ['transport']\nreason = 'known'");
    watcher.says("No findings in 2 files");
    watcher.says("watching 2 files");
    assert_eq!(watcher.interrupt(), Some(0));
}

/// A recording that is still being written.
#[test]
fn what_is_new_in_a_recording_is_shown() {
    let folder = TempDir::new().unwrap();
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_acpcheck"))
        .current_dir(folder.path())
        .args(["record", "-o", "recordings/", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = recorder.stdin.take().unwrap();
    let mut stdout = BufReader::new(recorder.stdout.take().unwrap());
    // The agent repeats what the client says, so each line is there twice.
    let mut say = |line: &str| {
        writeln!(stdin, "{line}").unwrap();
        stdout.read_line(&mut String::new()).unwrap();
    };
    say(OPENING.lines().next().unwrap());
    let watcher = Watcher::start(folder.path(), &["recordings"]);
    watcher.says("the connection is still being recorded");
    watcher.says("watching 1 file");
    say("starting up");
    for line in ["ndjson:4:", "ndjson:5:"] {
        watcher.says(&format!("{line}35: error[transport/not-json]"));
    }
    // Lines between two messages are one finding.
    say(r#"{"jsonrpc":"2.0","method":"_acpcheck/still"}"#);
    say("still starting");
    for line in ["ndjson:8:", "ndjson:9:"] {
        watcher.says(&format!("{line}35: error[transport/not-json]"));
    }
    drop(stdin);
    recorder.wait().unwrap();
    watcher.says("the connection has ended: ");
    // Nothing is said twice, and nothing is cut off.
    let said = watcher.said.borrow().join("\n");
    assert!(!said.contains("truncated-tail") && !said.contains("has ended"), "{said}");
    assert!(!said.contains("not-json"), "{said}");
    // It may still be at work, and then the signal itself ends it.
    watcher.interrupt();
}

#[test]
fn standard_input_is_not_watched() {
    let folder = TempDir::new().unwrap();
    let mut watcher = Watcher::start(folder.path(), &["-"]);
    watcher.says("standard input cannot be watched");
    assert_eq!(watcher.child.wait().unwrap().code(), Some(2));
}
