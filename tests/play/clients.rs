//! `acpcheck play -- CLIENT`: the client is this test program, which then runs [`as_client`] alone.

use std::{
    env, fs,
    io::stdin,
    path::Path,
    process::{Command, Output, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::client::{Client, PROGRAM};

/// The variables that tell the client what it is.
const VERSION: &str = "ACPCHECK_TEST_VERSION";
const FAULTS: &str = "ACPCHECK_TEST_FAULTS";

/// Not a test: the client of the runs below.
#[test]
fn as_client() {
    let Ok(faults) = env::var(FAULTS) else { return };
    let faults: Vec<_> = faults.split(' ').collect();
    let version = env::var(VERSION).unwrap().parse().unwrap();
    let mut prompt = String::new();
    stdin().read_line(&mut prompt).unwrap();
    if faults.contains(&"starts-nothing") {
        return;
    }
    let agent = Command::new(env::var_os("ACPCHECK_AGENT").unwrap());
    let mut client = Client::of(agent, TempDir::new().unwrap(), version, &faults);
    let session = client.session();
    let prompt = prompt.trim();
    let name = prompt.strip_prefix('/').unwrap_or(prompt);
    if faults.contains(&"dies") && name == "permission" {
        client.start_request(
            "session/prompt",
            &serde_json::json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "x" }] }),
        );
        panic!("the client dies here");
    }
    client.prompt(&session, name);
    if faults.contains(&"stays") {
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
    client.end();
}

struct Run {
    folder: TempDir,
}

impl Run {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn command(&self, version: u64, faults: &str, options: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(["play", "--timeout", "2", "--grace", "1"]).args(options).arg("--");
        command.arg(env::current_exe().unwrap());
        command.args(["--exact", "play::clients::as_client", "--nocapture", "--test-threads=1"]);
        command.env(FAULTS, faults).env(VERSION, version.to_string());
        command.env("TMPDIR", self.folder.path()).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn output(
        &self,
        version: u64,
        faults: &str,
        options: &[&str],
    ) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } =
            self.command(version, faults, options).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code(), text(stdout), text(stderr))
    }

    /// The temporary folders that a run has left.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("acpcheck-")).collect()
    }
}

fn rows(stdout: &str) -> Vec<&str> {
    stdout.lines().filter_map(|line| line.strip_prefix("  ")).collect()
}

#[test]
fn a_client_that_conforms_passes_and_nothing_is_left() {
    for (version, offered) in [(1, "permission   done"), (2, "states       done")] {
        let run = Run::new();
        let options = ["--scenario", "permission,states,rare-values"];
        let (status, stdout, stderr) = run.output(version, "", &options);
        assert_eq!((status, &*stderr), (Some(0), ""), "{stdout}");
        assert!(stdout.starts_with(&format!("small-client 1, protocol {version}\n")), "{stdout}");
        assert!(stdout.contains(offered), "{stdout}");
        assert!(stdout.contains("\nMUST: 0 violated, "), "{stdout}");
        assert_eq!(run.left(), Vec::<String>::new());
    }
}

#[test]
fn findings_and_scenarios_decide_the_status() {
    for (faults, options, expected, row) in [
        ("option-not-offered", &["--scenario", "permission"][..], 1, "permission  "),
        ("dies", &["--scenario", "permission,turn"], 1, "permission  ended"),
        ("ignores-unknown", &["--scenario", "extensions"], 1, "extensions  silent"),
        (
            "",
            &["--scenario", "turn", "--require", "states"],
            1,
            "states  not offered only in version 2",
        ),
        ("", &["--scenario", "turn", "--require", "turn"], 0, "turn  done"),
        (
            "starts-nothing",
            &["--scenario", "turn"],
            3,
            "turn  not played  the agent was not started",
        ),
    ] {
        let run = Run::new();
        let (status, stdout, stderr) = run.output(1, faults, options);
        assert_eq!(status, Some(expected), "{faults}: {stdout}{stderr}");
        assert!(rows(&stdout).iter().any(|it| it.starts_with(row)), "{faults}: {stdout}{stderr}");
    }
}

const RECORDING: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"kettle","version":"1"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/ada/kiln","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":"Sweep the floor."}]}}
{"jsonrpc":"2.0","id":5,"method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c","title":"Sweep"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}
{"jsonrpc":"2.0","id":5,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"#;

#[test]
fn a_recording_is_played_back() {
    let run = Run::new();
    fs::write(run.folder.path().join("kettle.ndjson"), RECORDING).unwrap();
    let options = ["--from", "kettle.ndjson", "-o", "recordings"];
    let (status, stdout, stderr) = run.output(1, "", &options);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    assert!(rows(&stdout).contains(&"playback  done"), "{stdout}{stderr}");
    let played = fs::read_to_string(run.folder.path().join("recordings/playback.ndjson")).unwrap();
    for text in ["\"name\":\"kettle\"", "Sweep the floor.", "\"sessionId\":\"s-1\""] {
        assert!(played.contains(text), "{text}: {played}");
    }
    let run = Run::new();
    fs::write(run.folder.path().join("kettle.ndjson"), RECORDING).unwrap();
    let (status, stdout, _) = run.output(1, "option-not-offered", &["--from", "kettle.ndjson"]);
    assert_eq!(status, Some(1));
    assert!(stdout.contains("permission/option-not-offered"), "{stdout}");
    for (name, text) in [("missing", None), ("empty", Some("")), ("other", Some("hello\n"))] {
        let file = run.folder.path().join(name);
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
        }
        let (status, _, stderr) = run.output(1, "", &["--from", file.to_str().unwrap()]);
        assert_eq!(status, Some(2), "{name}: {stderr}");
        assert!(stderr.starts_with("error: cannot play `"), "{name}: {stderr}");
    }
}

#[test]
fn recordings_have_the_names_of_their_scenarios() {
    let run = Run::new();
    let options = ["-o", "recordings", "--scenario", "turn,bare", "--format", "json"];
    let (status, stdout, stderr) = run.output(1, "", &options);
    assert_eq!(status, Some(0), "{stderr}");
    serde_json::from_str::<serde_json::Value>(&stdout).unwrap();
    assert!(stderr.contains("  turn  done\n  bare  done\n"), "{stderr}");
    let names = || {
        let entries = fs::read_dir(run.folder.path().join("recordings")).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["01-turn.ndjson", "27-bare.ndjson"]);
    let (status, _, stderr) = run.output(1, "", &options);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("is there from an earlier run"), "{stderr}");
}

#[test]
fn a_client_that_does_not_end_is_ended() {
    let run = Run::new();
    let (status, stdout, stderr) = run.output(1, "stays", &["--scenario", "turn"]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    assert_eq!(run.left(), Vec::<String>::new());
}

#[test]
fn a_client_that_cannot_be_started_is_told() {
    let command = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).arg("play").args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, stderr) = command(&["--", "./no-such-client"]);
    assert_eq!(status, Some(2));
    assert!(stderr.starts_with("error: cannot start the client `./no-such-client`"), "{stderr}");
    for [option, value] in [["--require", "turn"], ["--grace", "1"], ["--report", "html=play.html"]]
    {
        let (status, stderr) = command(&[option, value]);
        assert_eq!((status, stderr), (Some(2), format!("error: `{option}` needs a CLIENT\n")));
    }
    let (status, stderr) = command(&["--scenario", "bare,login"]);
    assert_eq!(status, Some(2));
    assert!(stderr.contains("choose one of them"), "{stderr}");
}

/// The processes that have this folder in their environment.
fn processes(folder: &Path) -> Vec<String> {
    let own = format!("TMPDIR={}", folder.display());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let has_it = |pid: &str| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|it| it == own.as_bytes())
    };
    let pids = entries.map(|entry| entry.file_name().into_string().unwrap());
    pids.filter(|pid| pid.bytes().all(|it| it.is_ascii_digit()) && has_it(pid)).collect()
}

#[test]
fn signals_leave_nothing_behind() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let run = Run::new();
        let mut child = run.command(1, "stays", &["--scenario", "turn,tools"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(900));
        assert!(!processes(run.folder.path()).is_empty());
        kill_process(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
        let mut left = Vec::new();
        for _ in 0..40 {
            left = processes(run.folder.path());
            if left.is_empty() && run.left().is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(left, Vec::<String>::new(), "{signal:?}");
        let folders: Vec<_> =
            run.left().into_iter().filter(|it| it.starts_with("acpcheck-")).collect();
        assert_eq!(folders, Vec::<String>::new(), "{signal:?}");
    }
}
