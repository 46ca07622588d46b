//! `acpcheck drive`: agents that conform, that do not, and that are none, each as a process.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::effort;

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");

/// An agent that answers what `answer` says, given `$method` and `$id`, and else "method not found".
fn agent(capabilities: &str, answers: &str) -> String {
    format!(
        r#"while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
    method=$(printf '%s' "$line" | sed -n 's/.*"method":"\([^"]*\)".*/\1/p')
    result=
    case $line in
    '{{'*'}}') ;;
    *) continue ;;
    esac
    case $method in
    '') continue ;;
    initialize) result='{{"protocolVersion":1,"agentCapabilities":{capabilities},"agentInfo":{{"name":"kettle","version":"1.2.3"}},"authMethods":[]}}' ;;
    session/new) number=$((number + 1)); result='{{"sessionId":"s'$number'"}}' ;;
    {answers}
    session/prompt) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32602,"message":"no such session"}}}}\n' "$id"; continue ;;
    esac
    [ -n "$id" ] || continue
    if [ -n "$result" ]; then
        printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$result"
    else
        printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"Method not found"}}}}\n' "$id"
    fi
done"#
    )
}

/// A folder with an agent that a script plays.
struct Place {
    folder: TempDir,
    agent: PathBuf,
}

impl Place {
    fn new(script: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = TempDir::new().unwrap();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let agent = folder.path().join(format!("driven-{}-{number}", std::process::id()));
        fs::write(&agent, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder, agent }
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("drive").args(options).arg("--").arg("sh").arg(&self.agent);
        command.current_dir(self.folder.path()).env("TMPDIR", self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, options: &[&str]) -> Ran {
        let ran = Ran::of(self.command(options).output().unwrap());
        assert_eq!(self.processes(), "", "{ran:?}");
        ran
    }

    /// The processes in whose arguments the agent's name stands.
    fn processes(&self) -> String {
        let name = self.agent.file_name().unwrap().to_str().unwrap().to_owned();
        let mut left = String::new();
        for _ in 0..50 {
            let output = Command::new("ps").args(["-eo", "pid=,stat=,args="]).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let lines = text.lines().filter(|line| line.contains(&name) && !line.contains(" Z"));
            left = lines.filter(|line| !line.contains("acpcheck drive")).collect();
            if left.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
        left
    }

    /// What is in the folder beside the agent.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| !name.starts_with("driven-")).collect();
        names.sort();
        names
    }
}

#[derive(Debug)]
struct Ran {
    stdout: String,
    stderr: String,
    status: Option<i32>,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            status: output.status.code(),
        }
    }

    /// The state of a scenario, with its detail.
    fn state(&self, name: &str) -> &str {
        let lines = self.stdout.lines().filter_map(|line| line.strip_prefix("  "));
        let mut of_it = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        of_it.next().unwrap_or_else(|| panic!("{name}: {self:?}")).trim()
    }
}

const LISTS: &str = r#"session/list) result='{"sessions":[]}' ;;"#;
const CAN_LIST: &str = r#"{"sessionCapabilities":{"list":{}}}"#;

#[test]
fn an_agent_that_conforms_passes_and_leaves_nothing_behind() {
    let place = Place::new(&agent(CAN_LIST, LISTS));
    let ran = place.run(&[]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("kettle 1.2.3, protocol 1\n"), "{ran:?}");
    assert_eq!(ran.state("initialize"), "done        ended with status 0 at the end of its input");
    assert_eq!(ran.state("future-version"), "done        answered 1");
    assert_eq!(ran.state("malformed"), "done        the agent is still usable");
    assert_eq!(ran.state("sessions"), "done        not offered: close, delete, load, resume");
    assert!(ran.stdout.contains("No findings in 20 files"), "{ran:?}");
    assert!(ran.stdout.contains("MUST: 0 violated, 12 upheld, "), "{ran:?}");
    assert!(ran.stdout.ends_with(" give a prompt with --prompt TEXT.\n"), "{ran:?}");
    assert!(!ran.stdout.contains("\n0 of "), "{ran:?}");
    assert_eq!(ran.stderr, "");
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn what_an_agent_advertises_and_does_not_have_is_found() {
    let place = Place::new(&agent(CAN_LIST, ""));
    let ran = place.run(&["-o", "recordings", "--format", "concise"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let found = "error[capability/advertised-method-unimplemented]";
    let lines: Vec<_> = ran.stdout.lines().filter(|line| line.contains(": error[")).collect();
    assert_eq!(lines.len(), 3, "{ran:?}");
    for (line, name) in lines.iter().zip(["07-sessions", "07-sessions-2", "09-lists"]) {
        let place = format!("recordings/{name}.ndjson:");
        assert!(line.starts_with(&place) && line.contains(found), "{line}");
    }
    assert_eq!(fs::read_dir(place.folder.path().join("recordings")).unwrap().count(), 19);

    // The recordings are whole, and say who is played: `check` reports the same.
    let check = ["check", "--format", "concise", "recordings"];
    let check = Command::new(PROGRAM).args(check).current_dir(place.folder.path()).output();
    let check = Ran::of(check.unwrap());
    let mut found: Vec<_> = check.stdout.lines().filter(|line| line.contains('[')).collect();
    found.sort_unstable();
    let mut lines = lines;
    lines.sort_unstable();
    assert_eq!(found, lines, "{check:?}");

    // Recordings of two runs are not mixed.
    let again = place.run(&["-o", "recordings", "-q"]);
    assert_eq!(again.status, Some(2), "{again:?}");
    assert!(again.stderr.contains("01-initialize.ndjson` is there from an earlier run"));
    assert_eq!(fs::read_dir(place.folder.path().join("recordings")).unwrap().count(), 19);
}

#[test]
fn a_turn_is_played_with_a_prompt() {
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"huge","status":"pending"}]}}}"#;
    let ask = r#"{"jsonrpc":"2.0","id":77,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}"#;
    let prompt = format!(
        "session/prompt)\n printf '%s\\n' '{update}' '{ask}'\n read -r chosen\n echo \"$chosen\" >&2\n echo \"$chosen\" > chosen\n result='{{\"stopReason\":\"end_turn\"}}' ;;"
    );
    let place = Place::new(&agent("{}", &prompt));
    let played = ["--scenario", "turn", "--prompt", "Sweep.", "--format", "concise"];
    let ran = place.run(&played);
    assert_eq!(ran.state("turn"), "done        end_turn");
    assert!(ran.stdout.contains("error[plan/closed-enum-value]"), "{ran:?}");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let chosen = || fs::read_to_string(place.folder.path().join("chosen")).unwrap();
    assert!(chosen().contains(r#""optionId":"no""#), "{}", chosen());
    place.run(&[&played[..], &["--allow"]].concat());
    assert!(chosen().contains(r#""optionId":"yes""#), "{}", chosen());

    let ran = place.run(&["--scenario", "turn"]);
    assert_eq!((ran.status, &*ran.stdout), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("needs `--prompt TEXT`"), "{ran:?}");
}

#[test]
fn what_is_no_agent_never_passes() {
    let programs = [
        ("exit 3", 3, "ended       the agent ended with status 3"),
        ("exec sleep 1000", 3, "unanswered  no answer to initialize"),
        ("exec yes", 3, "unanswered  no answer to initialize"),
        ("exec cat", 1, "refused     initialize: error -32601"),
        ("trap '' TERM HUP; sleep 1000 & sleep 1000; sleep 1000", 3, "unanswered"),
        ("exec >&-; exec sleep 1000", 3, "ended       the agent closed its output"),
    ];
    // Most of the time is waiting.
    thread::scope(|scope| {
        for (script, status, state) in programs {
            scope.spawn(move || {
                let place = Place::new(script);
                let begun = Instant::now();
                let ran = place.run(&["--start-timeout", "1", "--timeout", "1", "--grace", "1"]);
                assert_eq!(ran.status, Some(status), "{script}: {ran:?}");
                assert!(ran.state("initialize").starts_with(state), "{script}: {ran:?}");
                assert!(begun.elapsed() < Duration::from_secs(60), "{script}");
            });
        }
    });
    let ran = Command::new(PROGRAM).args(["drive", "--", "/no/such/agent"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}

#[test]
fn an_agent_that_dies_or_falls_silent_fails() {
    let dies = Place::new(&agent("{}", "_acpcheck/unknown) echo 'out of tea' >&2; exit 9 ;;"));
    let ran = dies.run(&[]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(ran.state("unknown-methods"), "ended       the agent ended with status 9");
    assert!(ran.stderr.contains("standard error of the agent: out of tea"), "{ran:?}");
    assert_eq!(ran.state("malformed"), "ended       the agent ended with status 9");

    let silent = Place::new(&agent("{}", "_acpcheck/unknown) continue ;;"));
    let ran = silent.run(&["--timeout", "1", "--scenario", "unknown-methods"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(ran.state("unknown-methods"), "unanswered  no answer to _acpcheck/unknown");
}

#[test]
fn banners_are_faults_and_not_in_the_way() {
    let place = Place::new(&format!("echo 'Welcome to kettle!'\n{}", agent("{}", "")));
    let ran = place.run(&["--scenario", "initialize", "--format", "concise"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("error[transport/not-json]"), "{ran:?}");
    assert!(ran.state("initialize").starts_with("done"), "{ran:?}");
}

#[test]
fn a_required_scenario_must_be_done() {
    let refuses = agent("{}", "").replace(r#"result='{"sessionId":"s'$number'"}'"#, "result=");
    let place = Place::new(&refuses);
    let ran = place.run(&["--select", "plan"]);
    assert!(ran.state("sessions").starts_with("refused"), "{ran:?}");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let ran = place.run(&["--select", "plan", "--require", "sessions"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
}

#[test]
fn an_agent_connects_to_the_mcp_server_of_its_session() {
    let connects = r#"session/new) number=$((number + 1)); result='{"sessionId":"s'$number'"}'
        command=$(printf '%s' "$line" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
        file=$(printf '%s' "$line" | sed -n 's/.*"args":\["drive-mcp","\([^"]*\)".*/\1/p')
        [ -z "$command" ] || printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' | "$command" drive-mcp "$file" >> "${0%/*}/served" ;;"#;
    let new = "session/new) number=$((number + 1)); result='{\"sessionId\":\"s'$number'\"}' ;;";
    let place = Place::new(&agent("{}", "").replace(new, connects));
    let options = ["--scenario", "mcp", "--require", "mcp"];
    let ran = place.run(&options);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let state = "done        the agent calls initialize, notifications/initialized, tools/list";
    assert_eq!(ran.state("mcp"), state);
    let served = fs::read_to_string(place.folder.path().join("served")).unwrap();
    let answers: Vec<serde_json::Value> =
        served.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{served}");
    assert_eq!(answers[1]["result"]["tools"][0]["name"], "acpcheck_nothing");

    let place = Place::new(&agent("{}", ""));
    let ran = place.run(&["--timeout", "1", "--scenario", "mcp"]);
    let state = "not done    the agent does not connect to the MCP server before a prompt";
    assert_eq!((ran.state("mcp"), ran.status), (state, Some(0)), "{ran:?}");
    let ran = place.run(&[&["--timeout", "1"], &options[..]].concat());
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stdout.ends_with("Failed: mcp (not done).\n"), "{ran:?}");
    // The recordings are kept, what the server has noted is not.
    let files = place.files();
    assert!(files.iter().all(|name| name.starts_with("acpcheck-drive-")), "{files:?}");
}

#[test]
fn prompts_that_fail_are_refused() {
    let fails = r#"session/prompt) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no model"}}\n' "$id"; continue ;;"#;
    let place = Place::new(&agent("{}", fails));
    let options = ["--prompt", "Sweep.", "--scenario", "turn,content,two-sessions"];
    let ran = place.run(&options);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    for scenario in ["turn", "content", "two-sessions"] {
        let state = "refused     session/prompt: error -32603, no model";
        assert_eq!(ran.state(scenario), state, "{ran:?}");
    }
    let failed = "Failed: turn (refused), content (refused), two-sessions (refused).\n";
    assert!(ran.stdout.ends_with(failed), "{ran:?}");
}

#[test]
fn turns_without_work_do_not_pass() {
    for (reason, state) in [
        ("end_turn", "not done    the turn shows no work"),
        ("refusal", "not done    the turn ends with the stop reason refusal"),
    ] {
        let answers = format!("session/prompt) result='{{\"stopReason\":\"{reason}\"}}' ;;");
        let place = Place::new(&agent("{}", &answers));
        let ran = place.run(&["--prompt", "Sweep.", "--scenario", "turn,content"]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert_eq!([ran.state("turn"), ran.state("content")], [state; 2], "{ran:?}");
        assert!(ran.stdout.ends_with("Failed: turn (not done), content (not done).\n"), "{ran:?}");
    }
}

#[test]
fn what_follows_the_end_of_a_turn_is_recorded() {
    let answers = r#"session/prompt)
        say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
        say Swept.
        (sleep 0.05; say Late.) &
        result='{"stopReason":"end_turn"}' ;;"#;
    let place = Place::new(&agent("{}", answers));
    let ran = place.run(&["--prompt", "Sweep.", "--scenario", "turn", "--output", "out"]);
    assert_eq!(ran.state("turn"), "done        end_turn", "{ran:?}");
    let folder = fs::read_dir(place.folder.path().join("out")).unwrap().flatten();
    let recordings: Vec<_> = folder.map(|file| fs::read_to_string(file.path()).unwrap()).collect();
    assert!(recordings.iter().any(|text| text.contains("Late.")), "{recordings:?}");
}

#[test]
fn what_another_version_has_is_not_offered() {
    let place =
        Place::new(&agent("{}", "").replace(r#""protocolVersion":1"#, r#""protocolVersion":2"#));
    let ran = place.run(&["--protocol", "2", "--scenario", "files", "--prompt", "Sweep."]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(ran.state("files"), "not offered only in version 1");
    assert_eq!(ran.stderr, "");
}

#[test]
fn sessions_that_are_stored_at_the_end_of_the_input_are_found_again() {
    let answers = r#"session/prompt)
        printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Swept."}}}}'
        result='{"stopReason":"end_turn"}' ;;
    session/load) [ -e stored ] && result='{}' ;;"#;
    let stores = format!(
        "cd \"$(dirname \"$0\")\"\n{}\nsleep 0.3\necho s1 > stored",
        agent(r#"{"loadSession":true}"#, answers)
    );
    let place = Place::new(&stores);
    let ran = place.run(&["--scenario", "resume", "--prompt", "Sweep.", "--select", "plan"]);
    assert!(ran.state("resume").starts_with("done"), "{ran:?}");
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

#[test]
fn what_is_written_before_initialize_is_answered_is_judged() {
    let lsp = r#"while IFS= read -r line; do printf 'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":0,\n"result":{}}\n'; done"#;
    let place = Place::new(lsp);
    let ran = place.run(&["--start-timeout", "1", "--format", "concise"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("error[transport/"), "{ran:?}");
    assert!(ran.stderr.contains("`initialize` was never answered"), "{ran:?}");
}

#[test]
fn an_agent_that_dies_is_noticed_while_its_child_holds_its_output() {
    let place = Place::new("sleep 1000 & exit 7");
    let begun = Instant::now();
    let ran = place.run(&["--start-timeout", "60"]);
    assert_eq!(ran.state("initialize"), "ended       the agent ended with status 7", "{ran:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn long_lines_of_standard_error_are_shortened() {
    let place = Place::new("head -c 60000 /dev/zero | tr '\\0' x >&2; exit 4");
    let ran = place.run(&[]);
    assert!(ran.stderr.contains("xxx…") && ran.stderr.len() < 2_000, "{}", ran.stderr.len());
}

#[test]
fn the_player_is_not_judged() {
    let place = Place::new(&agent(CAN_LIST, LISTS));
    place.run(&["-o", "recordings"]);
    for command in [["check", "recordings"], ["report", "recordings"]] {
        let ran = Command::new(PROGRAM).args(command).current_dir(place.folder.path()).output();
        let ran = Ran::of(ran.unwrap());
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
    let first = fs::read_to_string(place.folder.path().join("recordings/06-malformed.ndjson"));
    let first: serde_json::Value =
        serde_json::from_str(first.unwrap().lines().next().unwrap()).unwrap();
    assert_eq!(first["driven"]["plays"], "client");
    assert_eq!(first["driven"]["scenario"], "malformed");
    assert_eq!(first["driven"]["process"], 1);
    assert_eq!(first["driven"]["run"].as_str().unwrap().len(), 16);
    assert_eq!(first["ends"], "anywhere");
}

#[test]
fn the_report_says_what_was_played_and_counts_as_the_run_does() {
    let place = Place::new(&agent(CAN_LIST, LISTS));
    let ran = place.run(&["-o", "recordings", "--timeout", "2"]);
    let line = ran.stdout.lines().last().unwrap();
    assert!(
        line.starts_with("MUST: 0 violated, ")
            && line.ends_with(" give a prompt with --prompt TEXT."),
        "{line}"
    );
    // What cannot be assessed, only the report tells apart.
    let (kept, _) = line.split_once(" upheld").unwrap();
    for format in ["markdown", "html", "json"] {
        let report = ["report", "recordings", "--format", format, "-o", "-"];
        let report = Command::new(PROGRAM).args(report).current_dir(place.folder.path()).output();
        let report = Ran::of(report.unwrap());
        assert_eq!(report.status, Some(0), "{report:?}");
        let text = report.stdout;
        if format == "json" {
            let report: serde_json::Value = serde_json::from_str(&text).unwrap();
            let verdicts = report["verdicts"].as_array().unwrap();
            let of = |side: &str| verdicts.iter().find(|it| it["side"] == side).unwrap();
            assert_eq!(of("client")["verdict"], "not_judged");
            assert_eq!(of("agent")["verdict"], "conforms_where_exercised");
            let first = &report["files"][0]["driven"];
            assert_eq!((&first["state"], &first["plays"]), (&"done".into(), &"client".into()));
            let left_out = first["left_out"].as_array().unwrap();
            assert!(left_out.iter().any(|it| it["why"] == "it needs --prompt TEXT"), "{first}");
            continue;
        }
        assert!(text.contains(kept), "{kept}: {text}");
        let played = "client acpcheck";
        assert!(text.contains(played) && text.contains("is played by acpcheck and is not judged"));
        assert!(
            text.contains("sessionCapabilities.fork") && text.contains("not offered"),
            "{text}"
        );
    }
}

#[test]
fn however_a_run_is_ended_nothing_is_left() {
    // It ignores what can be ignored, as does its child.
    let stubborn = "trap '' TERM HUP INT; (trap '' TERM HUP INT; while :; do sleep 0.1; done) & while :; do sleep 0.1; done";
    let ways: [&[Signal]; 4] = [
        &[Signal::INT],
        &[Signal::INT, Signal::INT],
        &[Signal::TERM, Signal::INT],
        &[Signal::KILL],
    ];
    for signals in ways {
        let place = Place::new(stubborn);
        let mut child: Child = place.command(&[]).spawn().unwrap();
        thread::sleep(Duration::from_millis(400));
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        for signal in signals {
            kill_process(id, *signal).unwrap();
            thread::sleep(Duration::from_millis(100));
        }
        assert!(!child.wait().unwrap().success());
        assert_eq!(place.processes(), "", "{signals:?}");
        let begun = Instant::now();
        while !place.files().is_empty() && begun.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(place.files(), [""; 0], "{signals:?}");
    }
}

#[test]
fn interrupts_end_the_agent_too() {
    for signal in [Signal::INT, Signal::TERM] {
        let place = Place::new("trap 'exit 0' TERM; sleep 1000 & while :; do sleep 0.1; done");
        let mut child: Child = place.command(&[]).spawn().unwrap();
        thread::sleep(Duration::from_millis(700));
        let id = i32::try_from(child.id()).unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
        let begun = Instant::now();
        assert!(!child.wait().unwrap().success());
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_eq!(place.processes(), "");
        assert_eq!(place.files(), [""; 0]);
    }
}

#[test]
fn only_the_agent_is_judged() {
    // The answer to a version that the client made up is not the agent's fault.
    let place = Place::new(&agent("{}", ""));
    let ran = place.run(&["--format", "json", "--min-severity", "info"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 19);
    let found = files.iter().flat_map(|file| file["diagnostics"].as_array().unwrap());
    assert!(found.into_iter().all(|found| found["bound"] == "agent"), "{ran:?}");
    assert!(ran.stderr.contains("  sessions"), "{ran:?}");
}

#[test]
fn scenarios_are_listed_with_what_they_need() {
    let output = Command::new(PROGRAM).args(["drive", "--list"]).output().unwrap();
    let list = String::from_utf8(output.stdout).unwrap();
    for scenario in acpcheck::drive::SCENARIOS {
        assert!(list.contains(&format!("{}\n", scenario.summary)) || list.contains(scenario.name));
    }
    assert!(list.contains("cancel (needs `--long-prompt TEXT`)"), "{list}");
    let ran = Command::new(PROGRAM).args(["drive", "--scenario", "sesions", "--", "x"]).output();
    let error = String::from_utf8(ran.unwrap().stderr).unwrap();
    assert!(error.contains("did you mean `sessions`"), "{error}");
}

/// An agent that keeps its sessions in files. `fault`: what it does wrong.
fn keeper(fault: &str) -> String {
    let capabilities = r#"{"loadSession":true,"sessionCapabilities":{"list":{},"delete":{}}}"#;
    let answers = r#"session/list)
        list=
        for file in st-*; do
            [ -e "$file" ] || continue
            cwd=$(cat "cwd-${file#st-}")
            [ "${given:-$cwd}" = "$cwd" ] || continue
            list="$list,{\"sessionId\":\"${file#st-}\",\"cwd\":\"$cwd\"}"
        done
        result="{\"sessions\":[${list#,}]}" ;;
    session/delete) [ "$fault" = list ] || rm -f "st-$session"; result='{}' ;;
    session/load)
        if [ -e "st-$session" ]; then
            case $fault in
            nothing) ;;
            prompts) grep -v user_message "st-$session" ;;
            calls) grep -v tool_call "st-$session" ;;
            first) tail -n 3 "st-$session" ;;
            status) sed 's/completed/failed/' "st-$session" ;;
            twice) cat "st-$session" "st-$session" ;;
            *) cat "st-$session" ;;
            esac
            [ "$fault" = spoils ] && sed -i 1,3d "st-$session"
            result='{}'
        elif [ "$fault" = any ]; then
            result='{}'
        else
            refuse 'Resource not found'
            continue
        fi ;;
    session/prompt)
        if [ ! -e "st-$session" ]; then
            refuse 'Resource not found'
            continue
        fi
        count=$(($(cat turns) + 1))
        echo $count > turns
        say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":%s}}\n' "$session" "$1"; }
        say "{\"sessionUpdate\":\"user_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$text\"}}" >> "st-$session"
        {
            say "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c$count\",\"title\":\"Reading of ledger $count\",\"status\":\"completed\"}"
            say "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"Page $count of the ledger is read, and it says $count.\"}}"
        } | tee -a "st-$session"
        result='{"stopReason":"end_turn"}' ;;"#;
    let script = agent(capabilities, answers)
        .replace(
            "result=\n",
            r#"result=
    session=$(printf '%s' "$line" | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
    text=$(printf '%s' "$line" | sed -n 's/.*"text":"\([^"]*\)".*/\1/p')
    given=$(printf '%s' "$line" | sed -n 's/.*"cwd":"\([^"]*\)".*/\1/p')
"#,
        )
        .replacen(
            r#"number=$((number + 1)); result='{"sessionId":"s'$number'"}' ;;"#,
            r#"number=$(($(cat number) + 1)); echo $number > number; echo "$given" > "cwd-s$number"
        : > "st-s$number"; result='{"sessionId":"s'$number'"}' ;;"#,
            1,
        );
    let refuse = r#"refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"%s"}}\n' "$id" "$1"; }"#;
    format!(
        "cd \"$(dirname \"$0\")\"\nmkdir -p kept; cd kept\n[ -e number ] || {{ echo 0 > number; echo 0 > turns; }}\nfault={fault}\n{refuse}\n{script}"
    )
}

#[test]
fn an_agent_that_remembers_passes_and_its_recordings_are_clean() {
    let place = Place::new(&keeper("none"));
    let played = ["--prompt", "Read a page of the ledger.", "-o", "recordings", "--format=concise"];
    let some = ["--scenario", "sessions,unknown-sessions,resume,two-clients"];
    // All scenarios where everything is tried.
    let some = &some[..effort::times(some.len(), 0)];
    let ran = place.run(&[&played[..], some].concat());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let all = "done        load: 2 of 2 turns, 2 of 2 tool calls";
    assert_eq!(ran.state("resume"), all, "{ran:?}");
    assert_eq!(ran.state("two-clients"), all, "{ran:?}");
    for command in ["check", "report"] {
        let ran = [command, "recordings", "--fail-on=warning"];
        let ran = Command::new(PROGRAM).args(ran).current_dir(place.folder.path()).output();
        let ran = Ran::of(ran.unwrap());
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(!ran.stdout.contains("violates"), "{ran:?}");
    }
}

#[test]
fn agents_that_forget_are_found() {
    let incomplete = "error[session/replay-incomplete]";
    let faults = [
        (
            "nothing",
            "resume",
            "load: 0 of 2 turns, 0 of 2 tool calls",
            "error[session/replay-missing]",
        ),
        ("prompts", "resume", "load: 0 of 2 turns, 2 of 2 tool calls", incomplete),
        (
            "calls",
            "resume",
            "load: 2 of 2 turns, 0 of 2 tool calls",
            "warning[session/replay-incomplete]",
        ),
        ("first", "resume", "load: 1 of 2 turns, 1 of 2 tool calls", incomplete),
        ("spoils", "resume", "load: 1 of 2 turns, 1 of 2 tool calls", incomplete),
        (
            "status",
            "resume",
            "load: 2 of 2 turns, 2 of 2 tool calls",
            "warning[session/replay-differs]",
        ),
        (
            "twice",
            "resume",
            "load: 2 of 2 turns, 2 of 2 tool calls",
            "warning[session/replay-differs]",
        ),
        ("first", "two-clients", "load: 1 of 2 turns, 1 of 2 tool calls", incomplete),
        ("any", "sessions", "", "warning[session/unknown-load-accepted]"),
        ("list", "sessions", "", "error[session/deleted-still-listed]"),
    ];
    for (fault, scenario, told, found) in effort::one_in(4, faults) {
        let place = Place::new(&keeper(fault));
        let options = ["--prompt", "Read a page of the ledger.", "--scenario", scenario];
        let ran = place.run(&[&options[..], &["--format=concise", "--fail-on=warning"]].concat());
        assert_eq!(ran.status, Some(1), "{fault}: {ran:?}");
        assert!(ran.state(scenario).starts_with("done"), "{fault}: {ran:?}");
        assert!(ran.state(scenario).contains(told), "{fault}: {ran:?}");
        assert!(ran.stdout.contains(found), "{fault}: {ran:?}");
    }
}
