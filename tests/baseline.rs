//! Baselines: what was there before is held back, what is new is reported, and what has gone is
//! told.

use std::{fmt::Write as _, fs, path::Path};

use tempfile::TempDir;

use super::{
    run::{Run, assert_valid, run},
    support::OPENING,
};

/// A title that is no text: `schema/params`.
const TITLE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":7}}}
"#;

/// A session that there is not: `session/unknown-id`.
const STRANGER: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}
"#;

/// So many sessions that there are not, each a finding of its own.
fn strangers(count: usize) -> String {
    (0..count).map(|number| STRANGER.replace("other", &format!("other-{number}"))).collect()
}

/// So many answers to nothing, each a finding of its own.
fn strays(count: usize) -> String {
    let stray = |number| format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{{}}}}\n");
    (100..100 + count).map(stray).collect()
}

struct Project(TempDir);

impl Project {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn write(&self, name: &str, parts: &[&str]) {
        fs::write(self.0.path().join(name), parts.concat()).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn check(&self, arguments: &[&str]) -> Run {
        run(self.0.path(), &[&["check"], arguments].concat(), b"")
    }

    fn write_baseline(&self, paths: &[&str]) {
        let run = self.check(&[&["--write-baseline", "baseline.toml"], paths].concat());
        assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    }

    /// `line[rule]` of what is reported beyond the baseline, and the status.
    fn reported(&self, arguments: &[&str]) -> (Vec<String>, i32) {
        let baseline = ["--baseline", "baseline.toml", "--format=concise", "-q"];
        let run = self.check(&[&baseline, arguments].concat());
        let finding = |line: &str| {
            let mut parts = line.splitn(4, ':');
            let (file, number) = (parts.next().unwrap(), parts.next().unwrap());
            let rule = line.split(['[', ']']).nth(1).unwrap();
            format!("{file}:{number}[{rule}]")
        };
        (run.stdout.lines().map(finding).collect(), run.status)
    }
}

#[test]
fn what_was_there_is_held_back_wherever_it_is_now() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE, STRANGER]);
    project.write_baseline(&["."]);
    let run = project.check(&["--baseline=baseline.toml", "."]);
    insta::assert_snapshot!(format!("{}---\n{}", run.stdout, run.stderr));
    assert_eq!(run.status, 0);
    // Other lines, another session, another file.
    let moved = [OPENING, STRANGER, STRANGER, TITLE].concat().replace("\"s\"", "\"t\"");
    fs::remove_file(project.0.path().join("a.ndjson")).unwrap();
    project.write("b.ndjson", &[&moved]);
    assert_eq!(project.reported(&["."]), (vec![], 0));
}

#[test]
fn what_is_new_is_reported() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE]);
    project.write_baseline(&["."]);
    project.write("a.ndjson", &[OPENING, TITLE, STRANGER]);
    assert_eq!(project.reported(&["."]), (vec!["./a.ndjson:6[session/unknown-id]".to_owned()], 1));
    // Of a kind that is known, one more.
    project.write("a.ndjson", &[OPENING, &strangers(1)]);
    project.write_baseline(&["."]);
    project.write("a.ndjson", &[OPENING, &strangers(2)]);
    assert_eq!(project.reported(&["."]), (vec!["./a.ndjson:6[session/unknown-id]".to_owned()], 1));
    let run = project.check(&["--baseline=baseline.toml", "--format=concise", "."]);
    let expected = "note: `baseline.toml:6`: `session/unknown-id` in `session/update` at \
                    `/params/sessionId` by `kettle`: expected 1, found 2; the last ones are \
                    reported, but any of them may be new\n";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
    // By another agent.
    project.write("a.ndjson", &[&[OPENING, STRANGER].concat().replace("kettle", "teapot")]);
    assert_eq!(project.reported(&["."]).0.len(), 1);
}

#[test]
fn counts_are_those_of_all_transcripts_in_their_order() {
    let project = Project::new();
    for name in ["a", "b", "c"] {
        project.write(&format!("{name}.ndjson"), &[OPENING, &strangers(2)]);
    }
    project.write_baseline(&["a.ndjson", "b.ndjson"]);
    let reported = vec!["./c.ndjson:5[session/unknown-id]", "./c.ndjson:6[session/unknown-id]"];
    for jobs in ["--jobs=1", "--jobs=2", "--jobs=5"] {
        assert_eq!(project.reported(&[jobs, "."]).0, reported, "{jobs}");
    }
    project.write("a.ndjson", &[OPENING, STRANGER]);
    for jobs in ["--jobs=1", "--jobs=4"] {
        assert_eq!(project.reported(&[jobs, "."]).0, reported[1..], "{jobs}");
    }
}

/// Many transcripts at the same time, some unreadable, some long: whoever waits has his turn.
#[test]
fn nobody_waits_for_ever() {
    const MANY: usize = 6_000;
    let project = Project::new();
    let mut names = Vec::new();
    for number in 0..30 {
        let name = format!("{number:02}.ndjson");
        match number % 6 {
            0 => project.write(&name, &[OPENING, &strays(100)]),
            1 => project.write(&name, &["nothing\n"]),
            2 => {}
            3 if number < 9 => project.write(&name, &[OPENING, &strays(MANY)]),
            _ => project.write(&name, &[OPENING, &strays(1)]),
        }
        names.push(name);
    }
    project.write("all.ndjson", &[OPENING, &strays(MANY + 110)]);
    project.write_baseline(&["all.ndjson"]);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let (reported, status) = project.reported(&[&["--jobs=7"], names.as_slice()].concat());
    assert_eq!(status, 3);
    assert_eq!(reported.len(), 5 * 100 + MANY + 14 - (MANY + 110));
    assert_eq!(reported[0], "06.ndjson:13[jsonrpc/unmatched-response]", "{reported:?}");
}

#[test]
fn what_stands_for_others_stays_with_its_count() {
    let project = Project::new();
    let odd = "not json\n";
    let many = [OPENING, TITLE, odd, odd, odd].concat();
    project.write("a.ndjson", &[&many]);
    project.write("b.ndjson", &[OPENING, TITLE]);
    project.write_baseline(&["b.ndjson"]);
    let run = project.check(&["--baseline=baseline.toml", "--format=json", "a.ndjson"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let schema = include_str!("../schema/report.schema.json");
    assert_valid(&serde_json::from_str(schema).unwrap(), &report);
    let diagnostics = report["files"][0]["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0]["rule"], "transport/not-json");
    assert_eq!(diagnostics[0]["repeats"], 2);
    assert_eq!(report["summary"]["held_back"], 1);
}

#[test]
fn statistics_count_what_is_held_back() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE]);
    project.write_baseline(&["."]);
    let run = project.check(&["--baseline=baseline.toml", "--statistics", "a.ndjson"]);
    let row = run.stdout.lines().find(|line| line.ends_with("schema/params")).unwrap();
    assert!(row.trim_start().starts_with('1'), "{row}");
}

#[test]
fn what_has_gone_is_told() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE, &strangers(3)]);
    project.write("b.ndjson", &[OPENING, TITLE]);
    project.write_baseline(&["."]);
    project.write("a.ndjson", &[OPENING, STRANGER]);
    let mut text = String::new();
    for action in ["warn", "error", "ignore"] {
        let baseline = ["--baseline=baseline.toml", "--stale-baseline", action, "a.ndjson"];
        let run = project.check(&baseline);
        writeln!(text, "=== {action}\n{}{}status {}", run.stdout, run.stderr, run.status).unwrap();
        let run = project.check(&[&["--quiet"], &baseline[..]].concat());
        assert_eq!(run.stderr.is_empty(), action != "error", "{}", run.stderr);
    }
    insta::assert_snapshot!(text);
    // A rule that is no more is no mistake in the file.
    let renamed = project.read("baseline.toml").replace("schema/params", "schema/long-gone");
    project.write("baseline.toml", &[&renamed]);
    let run = project.check(&["--baseline=baseline.toml", "--stale-baseline=error", "a.ndjson"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("the rule of `schema/long-gone`"), "{}", run.stderr);
}

#[test]
fn reasons_are_kept() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE, STRANGER]);
    project.write_baseline(&["."]);
    let first = project.read("baseline.toml");
    assert_eq!(first.matches("TODO: why is this accepted?").count(), 2);
    let reasoned = first.replacen("TODO: why is this accepted?", "fixed \"soon\"\nreally", 1);
    let reasoned = reasoned.replace("\"fixed \"soon\"\nreally\"", "'''fixed \"soon\"\nreally'''");
    project.write("baseline.toml", &[&reasoned]);
    project.write("a.ndjson", &[OPENING, TITLE, &strangers(2)]);
    project.write_baseline(&["."]);
    let second = project.read("baseline.toml");
    assert!(second.contains("count = 2"), "{second}");
    assert_eq!(second.matches("TODO").count(), 1, "{second}");
    assert!(second.contains("fixed \"soon\"\nreally"), "{second}");
    // The same again, byte for byte.
    project.write_baseline(&["--jobs=3", "."]);
    assert_eq!(project.read("baseline.toml"), second);
    insta::assert_snapshot!(first);
}

#[test]
fn unreadable_transcripts_do_not_thin_it_out() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE]);
    let run = project.check(&["--write-baseline=baseline.toml", "a.ndjson", "gone.ndjson"]);
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("the baseline is not written"), "{}", run.stderr);
    assert!(!project.0.path().join("baseline.toml").exists());
}

#[test]
fn nothing_found_is_a_baseline_too() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING]);
    project.write_baseline(&["."]);
    assert!(project.read("baseline.toml").ends_with("version = 1\n"));
    assert_eq!(project.reported(&["."]), (vec![], 0));
}

#[test]
fn the_configuration_names_it() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE, STRANGER]);
    fs::create_dir(project.0.path().join("deep")).unwrap();
    project.write_baseline(&["."]);
    project.write("acpcheck.toml", &["baseline = 'baseline.toml'\nstale-baseline = 'error'\n"]);
    assert_eq!(project.check(&["a.ndjson"]).status, 0);
    assert_eq!(project.check(&["a.ndjson", "--isolated"]).status, 1);
    let deep = run(&project.0.path().join("deep"), &["check", "-q", "../a.ndjson"], b"");
    assert_eq!(deep.status, 0);
    project.write("a.ndjson", &[OPENING, TITLE]);
    assert_eq!(project.check(&["a.ndjson"]).status, 1);
    assert_eq!(project.check(&["a.ndjson", "--stale-baseline=ignore"]).status, 0);
    fs::remove_file(project.0.path().join("baseline.toml")).unwrap();
    let run = project.check(&["a.ndjson"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--write-baseline"), "{}", run.stderr);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let project = Project::new();
    project.write("a.ndjson", &[OPENING]);
    let mut text = String::new();
    let row = "[[finding]]\nrule = \"schema/params\"\n";
    for baseline in [
        "",
        "version = 2\n",
        &format!("version = 1\n{row}count = 0\nreason = \"x\"\n"),
        &format!("version = 1\n{row}count = 1\n"),
        &format!("version = 1\n{row}cuont = 1\ncount = \"1\"\nreason = \"x\"\n"),
        "version = 1\n[[finding]\n",
    ] {
        project.write("baseline.toml", &[baseline]);
        for option in ["--baseline", "--write-baseline"] {
            let run = project.check(&[option, "baseline.toml", "a.ndjson"]);
            assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{baseline}");
            if option == "--baseline" {
                writeln!(text, "=== {}\n{}", baseline.escape_debug(), run.stderr).unwrap();
            }
        }
        assert_eq!(project.read("baseline.toml"), *baseline);
    }
    let run = project.check(&["--baseline", "none.toml", "a.ndjson"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.starts_with("error: cannot read `none.toml`: "), "{}", run.stderr);
    let run = project.check(&["--write-baseline", "a.ndjson/known.toml", "a.ndjson"]);
    assert_eq!(run.status, 2);
    let why = "error: cannot write `a.ndjson/known.toml`: ";
    assert!(run.stderr.starts_with(why), "{}", run.stderr);
    insta::assert_snapshot!(text);
}

#[test]
fn its_schema_is_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/baseline.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    let project = Project::new();
    project.write("a.ndjson", &[OPENING, TITLE, "no message\n"]);
    project.write_baseline(&["."]);
    let written: toml::Value = toml::from_str(&project.read("baseline.toml")).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    validator.validate(&serde_json::to_value(written).unwrap()).unwrap();
}
