//! Sessions that several recordings have: what is said in one of them is judged with what others show.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::run::{Run, folder, run};
#[cfg(unix)]
use super::watch::Watcher;

#[path = "stories/lawful.rs"]
mod lawful;
#[path = "stories/replays.rs"]
mod replays;

/// An id that no other session has.
const SESSION: &str = "9f2c61d8-4b7e-4c05-a1d3-6e8b0f5a7c24";

const FIRST: [&str; 2] = [
    "List the seeds that are left in the shed",
    "Beans, carrots and two bags of winter rye are left",
];
const SECOND: [&str; 2] = [
    "Which of them can be sown before the frost",
    "Only the winter rye can be sown this late in the year",
];

/// A recording of one connection, as `acpcheck record` writes it.
struct Recording {
    lines: String,
    seconds: f64,
    id: u32,
}

impl Recording {
    /// A recording that begins at this time of a day.
    fn at(time: &str) -> Self {
        Self::with(time, &json!({}))
    }

    /// One with more members in its first line.
    fn with(time: &str, members: &Value) -> Self {
        let mut start = json!({
            "type": "start", "format": "acpcheck-record", "version": 1,
            "at": format!("2026-10-05T{time}.000Z"), "tool": "acpcheck 0.1.0", "agent": "kettle",
            "arguments": 1,
        });
        start.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let mut recording = Self { lines: format!("{start}\n"), seconds: 0.0, id: 0 };
        let capabilities = json!({"list": {}, "resume": {}, "close": {}, "delete": {}});
        let params = json!({
            "protocolVersion": 1, "clientCapabilities": {},
            "clientInfo": {"name": "editor", "version": "1.0.0"},
        });
        let result = json!({
            "protocolVersion": 1, "authMethods": [],
            "agentCapabilities": {"loadSession": true, "sessionCapabilities": capabilities},
            "agentInfo": {"name": "kettle", "version": "1.0.0"},
        });
        recording.ask("initialize", &params, &result);
        recording
    }

    fn line(&mut self, direction: &str, message: &Value) {
        self.seconds += 0.05;
        let mut message = message.clone();
        message["jsonrpc"] = "2.0".into();
        let line = json!({"t": self.seconds, "dir": direction, "msg": message});
        writeln!(self.lines, "{line}").unwrap();
    }

    fn call(&mut self, method: &str, params: &Value) {
        let call = json!({"id": self.id, "method": method, "params": params});
        self.line("c2a", &call);
    }

    fn answer(&mut self, result: &Value) {
        let answer = json!({"id": self.id, "result": result});
        self.line("a2c", &answer);
        self.id += 1;
    }

    fn ask(&mut self, method: &str, params: &Value, result: &Value) {
        self.call(method, params);
        self.answer(result);
    }

    fn update(&mut self, session: &str, update: &Value) {
        let params = json!({"sessionId": session, "update": update});
        self.line("a2c", &json!({"method": "session/update", "params": params}));
    }

    fn chunk(&mut self, session: &str, kind: &str, text: &str) {
        let content = json!({"type": "text", "text": text});
        self.update(session, &json!({"sessionUpdate": kind, "content": content}));
    }

    /// A message of the agent with an id.
    fn message(&mut self, session: &str, id: &str, text: &str) {
        for text in text.split_inclusive(' ') {
            let content = json!({"type": "text", "text": text});
            let kind = "agent_message_chunk";
            let update = json!({"sessionUpdate": kind, "messageId": id, "content": content});
            self.update(session, &update);
        }
    }

    /// The session is created.
    fn born(mut self, session: &str) -> Self {
        let params = json!({"cwd": "/work", "mcpServers": []});
        self.ask("session/new", &params, &json!({"sessionId": session}));
        self
    }

    /// A turn: what the user and the agent say.
    fn turn(mut self, session: &str, [prompt, text]: [&str; 2]) -> Self {
        let prompt = json!([{"type": "text", "text": prompt}]);
        self.call("session/prompt", &json!({"sessionId": session, "prompt": prompt}));
        self.chunk(session, "agent_message_chunk", text);
        self.answer(&json!({"stopReason": "end_turn"}));
        self
    }

    /// The session is loaded, and these turns are replayed.
    fn load(mut self, session: &str, turns: &[[&str; 2]]) -> Self {
        let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
        self.call("session/load", &params);
        for [prompt, text] in turns {
            self.chunk(session, "user_message_chunk", prompt);
            self.chunk(session, "agent_message_chunk", text);
        }
        self.answer(&json!({}));
        self
    }

    /// The sessions are listed.
    fn list(mut self, sessions: &[&str]) -> Self {
        let entries = sessions.iter().map(|id| json!({"sessionId": id, "cwd": "/work"}));
        let entries: Vec<Value> = entries.collect();
        self.ask("session/list", &json!({}), &json!({"sessions": entries}));
        self
    }

    fn delete(mut self, session: &str) -> Self {
        self.ask("session/delete", &json!({"sessionId": session}), &json!({}));
        self
    }

    /// A line of which the end is missing.
    fn broken(mut self) -> Self {
        self.lines
            .push_str("{\"t\":0.5,\"dir\":\"c2a\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":77,\"meth\n");
        self
    }

    fn text(&self) -> &str {
        &self.lines
    }
}

/// The session is created, and has two turns.
fn birth() -> Recording {
    Recording::at("09:00:00").born(SESSION).turn(SESSION, FIRST).turn(SESSION, SECOND)
}

/// A folder with two recordings of a session: in the second it is loaded with one of two turns.
fn forgetful() -> TempDir {
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST]);
    folder(&[("a.ndjson", birth().text()), ("b.ndjson", load.text())])
}

fn check(of: &TempDir, arguments: &[&str]) -> Run {
    run(of.path(), &[&["check"], arguments].concat(), b"")
}

/// `path:line: severity[rule]` of each finding.
fn found(of: &TempDir, arguments: &[&str]) -> BTreeSet<String> {
    let run = check(of, &[&["--format=json"], arguments].concat());
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let found = report["files"].as_array().unwrap().iter().flat_map(|file| {
        file["diagnostics"].as_array().unwrap().iter().map(|found| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let path = text(&file["path"]);
            let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
            let line = &found["labels"][0]["line"];
            format!("{path}:{line}: {}[{}]", text(&found["severity"]), text(&found["rule"]))
        })
    });
    found.collect()
}

const LOST: &str = "b.ndjson:7: warning[session/replay-incomplete]";

fn is_lost(found: &BTreeSet<String>) -> bool {
    *found == BTreeSet::from([LOST.to_owned()])
}

/// A finding that one recording alone does not have cannot be reduced to; the other is named.
#[test]
fn reduce_names_the_other_file() {
    let folder = forgetful();
    let reduce = |arguments: &[&str]| run(folder.path(), &[&["reduce"], arguments].concat(), b"");
    let rule = "session/replay-incomplete";
    for arguments in [&["b.ndjson", "--finding", rule] as &[&str], &["b.ndjson"]] {
        let run = reduce(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains(rule) && run.stderr.contains("a.ndjson`"), "{}", run.stderr);
    }
    for arguments in [
        &["a.ndjson", "--finding", rule] as &[&str],
        &["b.ndjson", "--finding", "session/replay-incomplete:3"],
        &["b.ndjson", "--finding", "plan/missing-id"],
        &["b.ndjson", "--finding", rule, "--story", "none"],
    ] {
        let run = reduce(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains("has no finding"), "{}", run.stderr);
    }
}

/// Recordings that are redacted in one run have the findings that they have together.
#[test]
fn redacted_together_they_have_the_same_findings() {
    let [asked, answer] = FIRST;
    let loud = [&*asked.to_uppercase(), &*format!("**{}**", answer.replace(' ', "  "))];
    let load = |turns: &[[&str; 2]]| Recording::at("10:30:00").load(SESSION, turns);
    for (name, second, is_faulty) in [
        ("one turn lost", load(&[FIRST]), true),
        ("all said in other letters", load(&[loud, SECOND]), false),
        ("one turn lost, the other one in other letters", load(&[loud]), true),
        ("a prompt is cut", load(&[["List the seeds that are le", answer], SECOND]), false),
        ("a cut prompt, one turn lost", load(&[["List the seeds that are le", answer]]), true),
    ] {
        let folder = folder(&[("a.ndjson", birth().text()), ("b.ndjson", second.text())]);
        let before = found(&folder, &["."]);
        assert_eq!(is_lost(&before), is_faulty, "{name}: {before:?}");
        let run = run(folder.path(), &["redact", "-o", "new", "a.ndjson", "b.ndjson"], b"");
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        let text = |file: &str| fs::read_to_string(folder.path().join("new").join(file)).unwrap();
        let (first, second) = (text("a.ndjson"), text("b.ndjson"));
        for word in ["seeds", "beans", "carrots", "winter", "9f2c61d8"] {
            let shown = (first.clone() + &second).to_lowercase();
            assert!(!shown.contains(word), "{name}: {word}");
        }
        let id = first.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(second.contains(id), "{name}: one session has one id");
        for file in ["a.ndjson", "b.ndjson"] {
            fs::write(folder.path().join(file), text(file)).unwrap();
        }
        assert_eq!(found(&folder, &["a.ndjson", "b.ndjson"]), before, "{name}");
    }
}

#[test]
fn what_another_file_shows_is_owed() {
    let folder = forgetful();
    assert!(is_lost(&found(&folder, &["."])));
    // The same in any order, on any number of threads.
    assert!(is_lost(&found(&folder, &["b.ndjson", "a.ndjson", "--jobs=1"])));
    assert!(is_lost(&found(&folder, &["b.ndjson", "a.ndjson", "--jobs=3"])));
    // Alone, either is clean.
    for alone in ["a.ndjson", "b.ndjson"] {
        assert_eq!(found(&folder, &[alone]), BTreeSet::new());
    }
    // All is replayed.
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST, SECOND]);
    fs::write(folder.path().join("b.ndjson"), load.text()).unwrap();
    assert_eq!(found(&folder, &["."]), BTreeSet::new());
}

#[test]
fn all_outputs_name_the_other_file() {
    let folder = forgetful();
    // Whoever counts bytes counts wrong here.
    let path = folder.path().join("a.ndjson");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("\"dir\":\"c2a\",", "\"_\":\"Köln — 計画\",\"dir\":\"c2a\",");
    fs::write(&path, &text).unwrap();
    let line = text.lines().nth(8).unwrap();
    let characters: Vec<char> = line.chars().collect();
    let prompt: Vec<char> = "[{\"type\":\"text\",\"text\":\"Which".chars().collect();
    let column = characters.windows(prompt.len()).position(|part| part == prompt).unwrap() + 1;
    let place = format!("a.ndjson:9:{column}");

    let full = check(&folder, &["a.ndjson", "b.ndjson"]).stdout;
    assert!(full.contains(&format!("\n  note: {place}: the first one\n")), "{full}");
    let rdjson = check(&folder, &["a.ndjson", "b.ndjson", "--format=rdjson"]).stdout;
    assert!(rdjson.contains(&format!("\\n{place}: the first one")), "{rdjson}");

    let document = |arguments: &[&str]| -> Value {
        let run = run(folder.path(), arguments, b"");
        serde_json::from_str(&run.stdout).unwrap()
    };
    let report = document(&["check", "a.ndjson", "b.ndjson", "--format=json"]);
    let label = &report["files"][1]["diagnostics"][0]["labels"][1];
    assert_eq!(label["path"], "a.ndjson");
    assert_eq!((&label["line"], &label["column"]), (&json!(9), &json!(column)), "{label}");
    assert_eq!((&label["primary"], &label["pointer"]), (&json!(false), &json!("/params/prompt")));
    let sarif = document(&["check", "a.ndjson", "b.ndjson", "--format=sarif"]);
    let related = &sarif["runs"][0]["results"][0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "a.ndjson");
    assert_eq!(related["region"]["startLine"], 9);
    assert_eq!(related["region"]["startColumn"], column);

    let html = check(&folder, &["a.ndjson", "b.ndjson", "--format=html"]).stdout;
    assert!(html.contains(&format!("a.ndjson, line 9, column {column}")), "{html}");
    let compliance = document(&["report", "a.ndjson", "b.ndjson", "--format=json"]);
    let label = &compliance["files"][1]["findings"][0]["labels"][1];
    assert_eq!((&label["path"], &label["column"]), (&json!("a.ndjson"), &json!(column)));
    // The annotation stands where the loss shows.
    let github = check(&folder, &["a.ndjson", "b.ndjson", "--format=github"]).stdout;
    assert!(github.contains("file=b.ndjson,line=7"), "{github}");
}

#[test]
fn a_compressed_file_is_read_again_for_its_places() {
    let packed = super::decompress::gzip(birth().text().as_bytes());
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST]);
    let folder = folder(&[("b.ndjson", load.text())]);
    fs::write(folder.path().join("a.ndjson.gz"), packed).unwrap();
    let full = check(&folder, &["."]).stdout;
    assert!(full.contains("note: ./a.ndjson.gz:9:"), "{full}");
}

#[test]
fn a_baseline_holds_it_back() {
    let folder = forgetful();
    let written = check(&folder, &["--write-baseline=known.toml", "."]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    assert_eq!(found(&folder, &["--baseline=known.toml", "."]), BTreeSet::new());
}

#[test]
fn what_could_not_be_read_proves_nothing() {
    let folder = forgetful();
    let run = check(&folder, &[".", "c.ndjson"]);
    assert!(run.stderr.contains("sessions are not followed from one file to another"), "{run:?}");
    assert!(!run.stdout.contains("replay-incomplete"), "{}", run.stdout);
    // What one file shows is enough here.
    let first = Recording::at("09:00:00").born(SESSION).turn(SESSION, FIRST);
    let both = first.turn(SESSION, SECOND).load(SESSION, &[FIRST]);
    fs::write(folder.path().join("b.ndjson"), both.text()).unwrap();
    fs::remove_file(folder.path().join("a.ndjson")).unwrap();
    let run = check(&folder, &[".", "c.ndjson"]);
    assert!(run.stdout.contains("replay-incomplete"), "{run:?}");
    assert!(!run.stderr.contains("not followed"), "{}", run.stderr);
}

#[test]
fn a_damaged_file_silences_the_sessions_that_it_names() {
    let other = "0b7d93e2-64f1-4a88-9c3e-5d20a7c1f846";
    let damaged = |recording: &Recording| {
        let packed = super::decompress::gzip(recording.text().as_bytes());
        packed[..packed.len() - 8].to_vec()
    };
    let folder = forgetful();
    let path = folder.path().join("c.ndjson.gz");
    let of_other = Recording::at("10:00:00").born(other).turn(other, SECOND);
    fs::write(&path, damaged(&of_other)).unwrap();
    let run = check(&folder, &["."]);
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.stdout.contains("replay-incomplete"), "{run:?}");
    assert!(!run.stderr.contains("not followed"), "{}", run.stderr);
    // It may go on with what explains the loss.
    let of_same = Recording::at("10:00:00").load(SESSION, &[FIRST, SECOND]);
    fs::write(&path, damaged(&of_same)).unwrap();
    let run = check(&folder, &["."]);
    assert!(!run.stdout.contains("replay-incomplete"), "{run:?}");
    assert!(run.stderr.contains("are not followed from one file to another"), "{}", run.stderr);
    // Nobody knows what it is about.
    fs::write(&path, damaged(&Recording::at("10:00:00"))).unwrap();
    let run = check(&folder, &["."]);
    assert!(!run.stdout.contains("replay-incomplete"), "{run:?}");
    assert!(run.stderr.contains("not all inputs could be read before"), "{}", run.stderr);
}

#[test]
fn many_sessions_of_one_file_take_no_room_from_others() {
    let folder = forgetful();
    // The file comes first, and names a session of another file.
    let mut crowd = Recording::at("08:00:00").list(&[SESSION]);
    for number in 0..5_100 {
        let id = format!("{number:04}d3e2-64f1-4a88-9c3e-5d20a7c1f846");
        crowd = crowd.born(&id).turn(&id, FIRST);
    }
    fs::write(folder.path().join("0.ndjson"), crowd.text()).unwrap();
    assert!(is_lost(&found(&folder, &["."])));
}

#[test]
fn no_file_takes_a_session_out_of_the_comparison_unseen() {
    let folder = forgetful();
    let status = || check(&folder, &["--fail-on=unjudged", "."]).status;
    assert_eq!(status(), 0);

    let path = folder.path().join("c.ndjson");
    let birth = Recording::at("08:00:00").born(SESSION);
    fs::write(&path, birth.text().replace("kettle", "teapot")).unwrap();
    assert!(is_lost(&found(&folder, &["."])));
    assert_eq!(status(), 0);

    // That the same agent creates it twice proves that ids are not what they seem.
    fs::write(&path, birth.text()).unwrap();
    assert!(!is_lost(&found(&folder, &["."])));
    assert_eq!(status(), 1);

    fs::remove_file(&path).unwrap();
    for number in 0..33 {
        let load = Recording::at("10:40:00").load(SESSION, &[FIRST, SECOND]);
        fs::write(folder.path().join(format!("d{number}.ndjson")), load.text()).unwrap();
    }
    assert!(!is_lost(&found(&folder, &["."])));
    assert_eq!(status(), 1);
}

#[test]
fn loads_without_their_birth_are_not_assessable() {
    let folder = forgetful();
    let rules = ["session/replay-incomplete", "session/replay-differs", "session/cwd-mismatch"];
    let report = |paths: &[&str], format: &str| {
        run(folder.path(), &[&["report", format], paths].concat(), b"").stdout
    };
    let sentence = "In one load, the replay was not compared with what was said before";
    let alone = report(&["b.ndjson"], "--format=markdown");
    assert!(alone.contains(sentence), "{alone}");
    let missing = alone.lines().find(|line| line.contains("lacks the creation of a session"));
    for rule in rules {
        assert!(missing.is_some_and(|line| line.contains(rule)), "{alone}");
    }
    let together = report(&["."], "--format=markdown");
    assert!(!together.contains("was not compared"), "{together}");
    let missing = together.lines().find(|line| line.contains("lacks the creation of a session"));
    for rule in rules {
        assert!(!missing.is_some_and(|line| line.contains(rule)), "{together}");
    }
    // Merged, each part still knows its own sessions only.
    for name in ["a", "b"] {
        let part = report(&[&format!("{name}.ndjson")], "--format=json");
        fs::write(folder.path().join(name).with_extension("json"), part).unwrap();
    }
    let merged = report(&["--merge", "a.json", "b.json"], "--format=markdown");
    assert!(merged.contains(sentence), "{merged}");
}

#[test]
fn what_is_not_proven_is_not_owed() {
    let load = || Recording::at("10:30:00").load(SESSION, &[FIRST]);
    let none: &[(&str, String)] = &[];
    let cases: [(&str, &[(&str, String)]); 6] = [
        ("nobody knows how it began", none),
        // Two files say that they created it.
        ("born twice", &[("a", birth().lines), ("c", birth().lines)]),
        (
            "another version of the agent",
            &[("a", birth().lines.replace("\"version\":\"1.0.0\"", "\"version\":\"1.1.0\""))],
        ),
        ("the turn came later", &[("a", birth().lines.replace("T09:00", "T11:00"))]),
        (
            "nobody knows when",
            &[("a", birth().lines.replace("\"at\":\"2026-10-05T09:00:00.000Z\",", ""))],
        ),
        ("cleared", &[("a", birth().turn(SESSION, ["/clear", "Done"]).lines)]),
    ];
    for (why, others) in cases {
        let folder = folder(&[("b.ndjson", load().text())]);
        for (name, text) in others {
            fs::write(folder.path().join(name).with_extension("ndjson"), text).unwrap();
        }
        assert_eq!(found(&folder, &["."]), BTreeSet::new(), "{why}");
    }
    // Short ids are given again and again.
    let files = [birth().lines, load().lines].map(|text| text.replace(SESSION, "session-1"));
    let folder = folder(&[("a.ndjson", &files[0]), ("b.ndjson", &files[1])]);
    assert_eq!(found(&folder, &["."]), BTreeSet::new());
}

/// A line that cannot be read may be a command that clears the history.
#[test]
fn what_was_lost_may_have_cleared_the_history() {
    let born = || Recording::at("09:00:00").born(SESSION);
    let opened = || Recording::at("09:30:00").load(SESSION, &[FIRST, SECOND]);
    let loading = || Recording::at("10:30:00");
    let load = || loading().load(SESSION, &[FIRST]);
    let listed = || Recording::at("09:30:00").list(&[]);
    let lossy_turn = || born().turn(SESSION, FIRST).broken().turn(SESSION, SECOND);
    let cases = [
        ("at the end of the earlier recording", birth().broken(), listed(), load()),
        ("between its turns", lossy_turn(), listed(), load()),
        ("in a recording between", birth(), opened().broken(), load()),
        ("before the load", birth(), opened(), loading().broken().load(SESSION, &[FIRST])),
    ];
    for (why, first, second, third) in cases {
        let files = folder(&[
            ("a.ndjson", first.text()),
            ("c.ndjson", second.text()),
            ("b.ndjson", third.text()),
        ]);
        assert!(found(&files, &["."]).iter().all(|found| !found.contains("replay")), "{why}");
    }
    // What came back after the loss is owed.
    let files = folder(&[
        ("a.ndjson", birth().broken().text()),
        ("c.ndjson", opened().text()),
        ("b.ndjson", load().text()),
    ]);
    assert!(found(&files, &["."]).contains(LOST));
    // What is lost afterwards explains nothing.
    let files = folder(&[
        ("a.ndjson", birth().text()),
        ("c.ndjson", opened().text()),
        ("b.ndjson", load().broken().text()),
    ]);
    assert!(found(&files, &["."]).contains(LOST));
    let before = Recording::at("08:00:00").list(&[SESSION]).broken();
    let files = folder(&[
        ("a.ndjson", birth().text()),
        ("c.ndjson", before.text()),
        ("b.ndjson", load().text()),
    ]);
    assert!(found(&files, &["."]).contains(LOST));
    // The same on one connection.
    let lost = |with: Recording| {
        let files = folder(&[("b.ndjson", with.text())]);
        found(&files, &["."]).iter().any(|found| found.contains("replay"))
    };
    assert!(lost(birth().load(SESSION, &[])) && lost(birth().load(SESSION, &[FIRST])));
    for replayed in [&[][..], &[FIRST]] {
        assert!(!lost(birth().broken().load(SESSION, replayed)));
        assert!(!lost(birth().turn(SESSION, ["/clear", "Cleared"]).load(SESSION, replayed)));
    }
}

#[test]
fn a_run_of_drive_is_one_story() {
    let first = driven("09:00:00", "resume", 1).born("s1").turn("s1", FIRST).turn("s1", SECOND);
    let second = driven("09:00:05", "resume", 2).load("s1", &[FIRST]);
    let files = folder(&[("z.ndjson", first.text()), ("b.ndjson", second.text())]);
    let error = LOST.replace("warning", "error");
    assert_eq!(found(&files, &["."]), BTreeSet::from([error]));
    // Of another run, it is another session.
    let other = second.lines.replace("5b0e7d1f9a3c2864", "5b0e7d1f9a3c2865");
    let files = folder(&[("z.ndjson", first.text()), ("b.ndjson", &other)]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
}

/// The messages of a recording, one a line, as a client of another program writes them.
fn bare(recording: &Recording) -> String {
    let messages = recording.lines.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line.get("msg").map(|message| format!("{message}\n"))
    });
    messages.collect()
}

/// As a log with a date before each message, of this minute.
fn dated(recording: &Recording, minute: &str) -> String {
    let messages = bare(recording);
    let lines = messages.lines().enumerate().map(|(number, line)| {
        let way = if line.contains("\"method\"") && !line.contains("session/update") {
            "send"
        } else {
            "recv"
        };
        format!("2026-10-05T{minute}:{number:02}.000Z {way} {line}\n")
    });
    lines.collect()
}

#[test]
fn dates_before_messages_tell_the_order() {
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST]);
    let files = |first: &str, second: &str| {
        folder(&[("a.ndjson", &*dated(&birth(), first)), ("b.ndjson", &*dated(&load, second))])
    };
    let lost = BTreeSet::from([LOST.replace(":7:", ":6:")]);
    assert_eq!(found(&files("09:00", "10:30"), &["."]), lost);
    assert_eq!(found(&files("10:30", "09:00"), &["."]), BTreeSet::new());
}

#[test]
fn the_user_may_say_that_all_is_one_story() {
    let one = ["--story=one", "."];
    let (first, load) = (birth(), Recording::at("10:30:00").load(SESSION, &[FIRST]));
    let [first, load] = [first, load].map(|text| bare(&text).replace(SESSION, "1"));
    let lost = |file: &str, line: u32| {
        BTreeSet::from([format!("{file}.ndjson:{line}: error[session/replay-incomplete]")])
    };
    // Without times, the names tell the order.
    let files = folder(&[("turn-2.ndjson", &first), ("turn-10.ndjson", &load)]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
    assert_eq!(found(&files, &one), lost("turn-10", 6));
    assert_eq!(
        found(&files, &["--story=one", "turn-10.ndjson", "turn-2.ndjson"]),
        lost("turn-10", 6)
    );
    let files = folder(&[("turn-10.ndjson", &first), ("turn-2.ndjson", &load)]);
    assert_eq!(found(&files, &one), BTreeSet::new());
    // With times, they do.
    let timed = [birth(), Recording::at("10:30:00").load(SESSION, &[FIRST])];
    let timed = timed.map(|recording| recording.lines.replace(SESSION, "1"));
    let files = folder(&[("b.ndjson", &timed[0]), ("a.ndjson", &timed[1])]);
    assert_eq!(found(&files, &one), lost("a", 7));
    // A session that was created twice is two sessions.
    let files = folder(&[("a.ndjson", &first), ("b.ndjson", &first), ("c.ndjson", &load)]);
    assert!(!found(&files, &one).iter().any(|found| found.contains("replay")));
    // In one file.
    let files = folder(&[("a.ndjson", &(first + &load))]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
    assert_eq!(found(&files, &one), lost("a", 16));
    // Nobody else had the session, unless a recording could not be read.
    let files = forgetful();
    assert_eq!(found(&files, &one), BTreeSet::from([LOST.replace("warning", "error")]));
    let run = check(&files, &["--story=one", ".", "c.ndjson"]);
    assert!(!run.stdout.contains("replay-incomplete"), "{run:?}");
}

#[test]
fn the_user_may_say_that_recordings_are_apart() {
    let files = forgetful();
    assert_eq!(found(&files, &["--story=none", "."]), BTreeSet::new());
    let configured = |value: &str, arguments: &[&str]| {
        fs::write(files.path().join("acpcheck.toml"), format!("story = \"{value}\"\n")).unwrap();
        found(&files, arguments)
    };
    assert_eq!(configured("none", &["."]), BTreeSet::new());
    assert!(is_lost(&configured("none", &["--story=auto", "."])));
    assert!(is_lost(&configured("auto", &["."])));
    assert_eq!(configured("one", &["."]), BTreeSet::from([LOST.replace("warning", "error")]));
    let report = run(files.path(), &["report", "--format=markdown", "."], b"").stdout;
    assert!(report.contains("`--story one`"), "{report}");
}

/// A recording in which the agent replays a message of this id.
fn replaying(id: &str, text: &str) -> Recording {
    let mut recording = Recording::at("10:30:00");
    let params = json!({"sessionId": SESSION, "cwd": "/work", "mcpServers": []});
    recording.call("session/load", &params);
    recording.chunk(SESSION, "user_message_chunk", FIRST[0]);
    recording.message(SESSION, id, text);
    recording.answer(&json!({}));
    recording
}

#[test]
fn a_message_keeps_its_text() {
    let mut first = Recording::at("09:00:00").born(SESSION);
    let prompt = json!([{"type": "text", "text": FIRST[0]}]);
    first.call("session/prompt", &json!({"sessionId": SESSION, "prompt": prompt}));
    first.message(SESSION, "m1", FIRST[1]);
    first.answer(&json!({"stopReason": "end_turn"}));
    let with = |first: &Recording, load: &Recording| {
        let found =
            found(&folder(&[("a.ndjson", first.text()), ("b.ndjson", load.text())]), &["."]);
        let stories = found.into_iter().filter(|found| found.contains("replay"));
        stories.map(|found| found.split_once(": ").unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let other = "There has never been anything of this kind in the shed";
    assert_eq!(with(&first, &replaying("m1", FIRST[1])), [""; 0]);
    assert_eq!(with(&first, &replaying("m1", other)), ["warning[session/replay-differs]"]);
    // Under another id, or as a stand-in, it is only lost.
    let lost = ["warning[session/replay-incomplete]"];
    assert_eq!(with(&first, &replaying("m7", other)), lost);
    assert_eq!(with(&first, &replaying("m1", "xxxx xxxxx xxx xxxxxx xxx xxxxx")), lost);
    // Its text may be longer, and ids may be counted anew.
    assert_eq!(with(&first, &replaying("m1", &format!("{other}. {}", FIRST[1]))), [""; 0]);
    let mut renumbered = replaying("m1", SECOND[1]);
    renumbered.lines = renumbered.lines.replace("\"m1\"", "\"m2\"");
    assert_eq!(with(&first, &renumbered), lost);
    let mut twice = first;
    twice.call("session/prompt", &json!({"sessionId": SESSION, "prompt": prompt}));
    twice.message(SESSION, "m1", SECOND[1]);
    twice.answer(&json!({"stopReason": "end_turn"}));
    assert_eq!(with(&twice, &replaying("m1", other)), lost);
}

#[test]
fn a_history_comes_once() {
    let doubled = [FIRST, FIRST];
    for (recording, line) in [
        (birth().load(SESSION, &[FIRST, SECOND, FIRST, SECOND]), 17),
        (Recording::at("09:00:00").born(SESSION).turn(SESSION, FIRST).load(SESSION, &doubled), 12),
    ] {
        let files = folder(&[("b.ndjson", recording.text())]);
        let warning = format!("b.ndjson:{line}: warning[session/replay-differs]");
        assert_eq!(found(&files, &["."]), BTreeSet::from([warning]));
    }
    // The user said the same again.
    let again = Recording::at("09:00:00").born(SESSION).turn(SESSION, FIRST).turn(SESSION, FIRST);
    let files = folder(&[("b.ndjson", again.load(SESSION, &doubled).text())]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
    // Somebody else may have said it.
    let once = Recording::at("09:00:00").born(SESSION).turn(SESSION, FIRST);
    let load = Recording::at("10:30:00").load(SESSION, &doubled);
    let files = folder(&[("a.ndjson", once.text()), ("b.ndjson", load.text())]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
}

#[test]
fn the_last_plan_comes_back_if_that_is_asked_for() {
    let plan = |recording: &mut Recording, entries: &[&str]| {
        let entries = entries
            .iter()
            .map(|entry| json!({"content": entry, "priority": "medium", "status": "pending"}));
        let entries: Vec<Value> = entries.collect();
        recording.update(SESSION, &json!({"sessionUpdate": "plan", "entries": entries}));
    };
    let first = |entries: &[&[&str]]| {
        let mut first = Recording::at("09:00:00").born(SESSION);
        let prompt = json!([{"type": "text", "text": FIRST[0]}]);
        first.call("session/prompt", &json!({"sessionId": SESSION, "prompt": prompt}));
        for entries in entries {
            plan(&mut first, entries);
        }
        first.chunk(SESSION, "agent_message_chunk", FIRST[1]);
        first.answer(&json!({"stopReason": "end_turn"}));
        first
    };
    let load = |entries: &[&str]| {
        let mut load = Recording::at("10:30:00");
        let params = json!({"sessionId": SESSION, "cwd": "/work", "mcpServers": []});
        load.call("session/load", &params);
        load.chunk(SESSION, "user_message_chunk", FIRST[0]);
        load.chunk(SESSION, "agent_message_chunk", FIRST[1]);
        if !entries.is_empty() {
            plan(&mut load, entries);
        }
        load.answer(&json!({}));
        load
    };
    let is_missing = |first: &Recording, load: &Recording, arguments: &[&str]| {
        let files = folder(&[("a.ndjson", first.text()), ("b.ndjson", load.text())]);
        found(&files, arguments).iter().any(|found| found.contains("plan/not-replayed"))
    };
    let selected = ["--select=plan/not-replayed", "."];
    let entries: &[&[&str]] = &[&["Sow the rye", "Water it"]];
    assert!(is_missing(&first(entries), &load(&[]), &selected));
    assert!(!is_missing(&first(entries), &load(&[]), &["."]));
    assert!(!is_missing(&first(entries), &load(entries[0]), &selected));
    assert!(!is_missing(&first(&[entries[0], &[]]), &load(&[]), &selected));
    assert!(!is_missing(&first(&[]), &load(&[]), &selected));
    assert!(!is_missing(&first(entries).turn(SESSION, ["/clear", "Done"]), &load(&[]), &selected));
    assert!(!is_missing(&first(entries).broken(), &load(&[]), &selected));
}

/// A recording of one process of a run of `drive`.
fn driven(time: &str, scenario: &str, process: u32) -> Recording {
    let driven = json!({
        "run": "5b0e7d1f9a3c2864", "scenario": scenario, "process": process, "plays": "client",
    });
    Recording::with(time, &json!({"driven": driven}))
}

/// Three processes of one run, and what is found in the last one.
fn found_in_third(recordings: [&Recording; 3]) -> BTreeSet<String> {
    let [first, second, third] = recordings.map(Recording::text);
    let files = folder(&[("z.ndjson", first), ("y.ndjson", second), ("x.ndjson", third)]);
    found(&files, &["."])
}

#[test]
fn ids_are_not_given_again() {
    let first = driven("09:00:00", "resume", 1).born("s1").turn("s1", FIRST);
    let second = driven("09:00:05", "resume", 2).load("s1", &[FIRST]);
    let third = driven("09:00:10", "files", 1).born("s1");
    let warning = "x.ndjson:5: warning[session/duplicate-id]".to_owned();
    assert_eq!(found_in_third([&first, &second, &third]), BTreeSet::from([warning.clone()]));
    // A list shows as well that the agent still has it.
    let listed = driven("09:00:05", "sessions", 2).list(&["s1"]);
    assert_eq!(found_in_third([&first, &listed, &third]), BTreeSet::from([warning]));
    // Agents that keep nothing count anew in each process, and a deleted session frees its id.
    let refused = driven("09:00:05", "resume", 2).list(&[]);
    assert_eq!(found_in_third([&first, &refused, &third]), BTreeSet::new());
    let deleted = driven("09:00:05", "resume", 2).load("s1", &[FIRST]).delete("s1");
    assert_eq!(found_in_third([&first, &deleted, &third]), BTreeSet::new());
    // A session without a turn need not outlive its process.
    let empty = driven("09:00:00", "resume", 1).born("s1");
    assert_eq!(found_in_third([&empty, &second, &third]), BTreeSet::new());
}

#[test]
fn deleted_sessions_are_not_listed_in_other_files() {
    let deleted = driven("09:00:00", "sessions", 1).born("s1").delete("s1");
    let used = driven("09:00:05", "resume", 2).load("s1", &[]);
    let unused = driven("09:00:05", "resume", 2).list(&[]);
    let listed = driven("09:00:10", "sessions", 2).list(&["s1"]);
    let error = "x.ndjson:5: error[session/deleted-still-listed]".to_owned();
    assert_eq!(found_in_third([&deleted, &unused, &listed]), BTreeSet::from([error]));
    assert_eq!(found_in_third([&deleted, &used, &listed]), BTreeSet::new());
    // Somebody who is not on record may have loaded it.
    let deleted = Recording::at("09:00:00").born(SESSION).delete(SESSION);
    let listed = Recording::at("10:00:00").list(&[SESSION]);
    let files = folder(&[("a.ndjson", deleted.text()), ("b.ndjson", listed.text())]);
    let warning = "b.ndjson:5: warning[session/deleted-still-listed]".to_owned();
    assert_eq!(found(&files, &["."]), BTreeSet::from([warning]));
    // It was listed before it was deleted.
    let listed = Recording::at("08:00:00").list(&[SESSION]);
    let files = folder(&[("a.ndjson", deleted.text()), ("b.ndjson", listed.text())]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
}

/// Nothing need be replayed of a session that was deleted.
#[test]
fn a_deleted_session_owes_nothing() {
    let deleted = birth().delete(SESSION);
    let load = Recording::at("10:30:00").load(SESSION, &[]);
    let files = folder(&[("a.ndjson", deleted.text()), ("b.ndjson", load.text())]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
}

#[test]
fn another_directory_is_named_with_its_file() {
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST, SECOND]);
    let moved = load.text().replace("\"/work\"", "\"/elsewhere\"");
    let files = folder(&[("a.ndjson", birth().text()), ("b.ndjson", &moved)]);
    let warning = "b.ndjson:4: warning[session/cwd-mismatch]".to_owned();
    assert_eq!(found(&files, &["."]), BTreeSet::from([warning]));
    // A load in between had it there, too.
    let files = folder(&[
        ("a.ndjson", birth().text()),
        ("b.ndjson", &moved),
        ("c.ndjson", &moved.replace("T10:30", "T11:30")),
    ]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
}

/// The birth of a session that is loaded in another recording comes later.
#[cfg(unix)]
#[test]
fn a_watched_recording_is_judged_again_with_others() {
    let folder = folder(&[("b.ndjson", Recording::at("10:30:00").load(SESSION, &[FIRST]).text())]);
    let watcher = Watcher::start(folder.path(), &["."]);
    watcher.says("No findings in 1 file");
    watcher.says("watching 1 file");
    fs::write(folder.path().join("a.ndjson"), birth().text()).unwrap();
    watcher.says("new: `./a.ndjson`");
    watcher.says("b.ndjson:7:28: warning[session/replay-incomplete]");
    // A recording that shares no session is judged alone, and what is known is not told again.
    fs::write(folder.path().join("c.ndjson"), Recording::at("11:00:00").born("s").text()).unwrap();
    watcher.says("new: `./c.ndjson`");
    let load = Recording::at("12:00:00").load(SESSION, &[SECOND]);
    fs::write(folder.path().join("d.ndjson"), load.text()).unwrap();
    watcher.says("d.ndjson:7:28: warning[session/replay-incomplete]");
    assert!(!watcher.has_said("b.ndjson:7:28"));
    watcher.interrupt();
}

/// A client may send many prompts after it has seen the replay.
#[test]
fn a_loss_is_told_once() {
    for replayed in [&[FIRST][..], &[]] {
        let mut load = Recording::at("10:30:00").load(SESSION, replayed);
        for number in 0..5 {
            load = load.turn(SESSION, [&format!("Sow row number {number}"), "It is sown"]);
        }
        let files = folder(&[("a.ndjson", birth().text()), ("b.ndjson", load.text())]);
        let run = check(&files, &[".", "--format=concise"]);
        assert_eq!(run.stdout.matches("session/replay-").count(), 1, "{}", run.stdout);
        assert!(!run.stdout.contains("more like it"), "{}", run.stdout);
    }
}
