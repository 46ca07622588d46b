//! The program as users meet it: arguments in; standard output, standard error and status out.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    io::{Read, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;
use textwrap::core::display_width;

use super::{
    effort,
    run::{self, Run, acpcheck, assert_valid, title},
    support::OPENING,
};

/// The beginning of every transcript here: version 1, session `s`.
/// A folder with `clean.ndjson`, `faulty.ndjson` (one fault of each of two rules) and
/// `notes.ndjson` (no transcript).
fn folder() -> TempDir {
    run::folder(&[
        ("clean.ndjson", &(OPENING.to_owned() + &title("s", "\"Tidy\""))),
        ("faulty.ndjson", &(OPENING.to_owned() + &title("s", "7") + &title("other", "\"Tidy\""))),
        ("notes.ndjson", "{\"todo\":\"buy milk\"}\n"),
    ])
}

impl Run {
    /// All of it in one text, with the version taken out.
    fn transcript(&self) -> String {
        let Self { stdout, stderr, status } = self;
        let mut text = stdout.clone();
        if !stderr.is_empty() {
            text += "--- stderr\n";
            text += stderr;
        }
        writeln!(text, "--- status {status}").unwrap();
        let version = |quote| format!("{quote}{}{quote}", env!("CARGO_PKG_VERSION"));
        text.replace(&version("\""), "\"[version]\"")
    }
}

fn run(command: &mut Command) -> Run {
    Run::ended(command.output().unwrap())
}

fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    run(acpcheck(folder).args(arguments))
}

fn check(folder: &Path, arguments: &[&str]) -> Run {
    run_in(folder, &[&["check"], arguments].concat())
}

fn status(folder: &Path, arguments: &[&str]) -> i32 {
    check(folder, arguments).status
}

/// The rules that `check` reports, in order.
fn rules(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let report = json(&check(folder, &[&["--format", "json"], arguments].concat()));
    let files = report["files"].as_array().unwrap();
    let diagnostics = files.iter().flat_map(|file| file["diagnostics"].as_array().unwrap());
    diagnostics.map(|diagnostic| diagnostic["rule"].as_str().unwrap().to_owned()).collect()
}

/// The report, which is held against its schema.
fn json(run: &Run) -> serde_json::Value {
    let schema = include_str!("../schema/report.schema.json");
    let report = serde_json::from_str(&run.stdout).unwrap();
    assert_valid(&serde_json::from_str(schema).unwrap(), &report);
    report
}

#[test]
fn a_clean_file() {
    insta::assert_snapshot!(check(folder().path(), &["clean.ndjson"]).transcript());
}

#[test]
fn a_faulty_file_in_full() {
    insta::assert_snapshot!(check(folder().path(), &["faulty.ndjson"]).transcript());
}

#[test]
fn a_faulty_file_concisely() {
    let run = check(folder().path(), &["--format", "concise", "clean.ndjson", "faulty.ndjson"]);
    insta::assert_snapshot!(run.transcript());
}

#[test]
fn a_faulty_file_as_json() {
    let run = check(folder().path(), &["--format=json", "clean.ndjson", "faulty.ndjson"]);
    json(&run);
    insta::assert_snapshot!(run.transcript());
}

#[test]
fn quietly() {
    let folder = folder();
    let run = check(folder.path(), &["-q", "--format=concise", "clean.ndjson", "faulty.ndjson"]);
    insta::assert_snapshot!(run.transcript());
    let run = check(folder.path(), &["--quiet", "clean.ndjson"]);
    assert_eq!(run.transcript(), "--- status 0\n");
}

#[test]
fn statistics() {
    let folder = folder();
    let run = check(folder.path(), &["--statistics", "-q", "clean.ndjson"]);
    assert!(run.stdout.starts_with("findings  violated  exercised  rule\n"), "{}", run.stdout);
    assert!(run.stdout.contains("session/unknown-id\n"), "{}", run.stdout);

    let report = json(&check(folder.path(), &["--statistics", "--format=json", "faulty.ndjson"]));
    let rows = report["files"][0]["statistics"].as_array().unwrap();
    let row = rows.iter().find(|row| row["rule"] == "session/unknown-id").unwrap();
    assert_eq!((&row["failed"], &row["findings"]), (&1.into(), &1.into()));
}

#[test]
fn a_missing_file_does_not_hide_the_others() {
    let run = check(folder().path(), &["--format=concise", "missing.ndjson", "faulty.ndjson"]);
    insta::assert_snapshot!(run.transcript());
    let run = check(folder().path(), &["--format=json", "missing.ndjson", "faulty.ndjson"]);
    let report = json(&run);
    assert_eq!(report["unread"][0]["path"], "missing.ndjson");
    assert_eq!(report["summary"]["files"], 1);
    assert_eq!(run.status, 3);
}

#[test]
fn a_file_without_messages_is_no_transcript() {
    let folder = folder();
    let run = check(folder.path(), &["notes.ndjson"]);
    insta::assert_snapshot!(run.transcript());
    fs::write(folder.path().join("empty.ndjson"), "").unwrap();
    assert_eq!(status(folder.path(), &["empty.ndjson"]), 3);
    assert_eq!(status(folder.path(), &["--format=json", "empty.ndjson", "clean.ndjson"]), 3);
}

#[test]
fn a_folder_is_walked_in_order() {
    let folder = folder();
    let path = folder.path();
    fs::remove_file(path.join("notes.ndjson")).unwrap();
    fs::create_dir_all(path.join("b/.hidden")).unwrap();
    fs::copy(path.join("faulty.ndjson"), path.join("b/one.jsonl")).unwrap();
    fs::copy(path.join("faulty.ndjson"), path.join("b/.hidden/two.jsonl")).unwrap();
    fs::copy(path.join("faulty.ndjson"), path.join("a.log")).unwrap();
    fs::copy(path.join("faulty.ndjson"), path.join("c.rs")).unwrap();
    fs::write(path.join("package.json"), "{\"name\":\"x\"}\n").unwrap();
    let run = check(path, &["--format=concise", "--select=session", "."]);
    insta::assert_snapshot!(run.transcript());

    // Named, a file needs no ending, and one without messages is an error.
    assert_eq!(status(path, &["c.rs"]), 1);
    assert_eq!(status(path, &["package.json"]), 3);
    // Once is enough, however it is spelled.
    for again in ["b/one.jsonl", "./b", "b/../b/./one.jsonl"] {
        let run = check(path, &["--format=concise", "-qq", "b", again, "b"]);
        assert_eq!(run.stdout.lines().count(), 2, "{again}");
    }
}

#[test]
fn a_folder_without_messages_in_certain_files_is_an_error() {
    assert_eq!(status(folder().path(), &["--fail-on=never", "."]), 3);
}

#[cfg(unix)]
#[test]
fn links_may_go_in_circles() {
    let folder = folder();
    let path = folder.path();
    fs::remove_file(path.join("notes.ndjson")).unwrap();
    fs::create_dir(path.join("deep")).unwrap();
    std::os::unix::fs::symlink("..", path.join("deep/up")).unwrap();
    std::os::unix::fs::symlink("nowhere", path.join("deep/gone.txt")).unwrap();
    let run = check(path, &["--format=concise", "deep", "faulty.ndjson"]);
    // What it leads to is not in the folder.
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("faulty")).count(), 2);
    assert!(run.stderr.contains("left out: 1 link that leads out of the folder"), "{}", run.stderr);
}

/// Each folder has two links to the next: there are thousands of ways to the file.
#[cfg(unix)]
#[test]
fn a_file_is_read_once_by_whatever_names() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    let path = |name: &str| folder.path().join("links").join(name);
    for level in 0..16 {
        fs::create_dir_all(path(&level.to_string())).unwrap();
        for link in ["a", "b"] {
            symlink(format!("../{}", level + 1), path(&format!("{level}/{link}"))).unwrap();
        }
    }
    fs::create_dir(path("16")).unwrap();
    fs::rename(folder.path().join("faulty.ndjson"), path("16/faulty.ndjson")).unwrap();
    fs::hard_link(path("16/faulty.ndjson"), path("16/other.ndjson")).unwrap();
    symlink("16/faulty.ndjson", path("0.ndjson")).unwrap();
    let named = ["--format=concise", "links", "./links/16/faulty.ndjson"];
    let run = check(folder.path(), &named);
    let lines = run.stdout.lines().filter(|line| line.starts_with("links/16/faulty.ndjson:"));
    assert_eq!(lines.count(), 2, "{}", run.stdout);
    assert!(run.stdout.contains("in 1 file "), "{}", run.stdout);
    assert!(run.stderr.contains("left out: 3 more paths to files"), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_stay_apart() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let folder = folder();
    for name in [&b"n\xff.ndjson"[..], b"n\xfe.ndjson"] {
        let path = folder.path().join(OsStr::from_bytes(name));
        fs::copy(folder.path().join("faulty.ndjson"), path).unwrap();
    }
    let run = check(folder.path(), &["--format=json", "."]);
    for name in ["n\\\\xFE.ndjson", "n\\\\xFF.ndjson"] {
        assert_eq!(run.stdout.matches(&format!("\"./{name}\"")).count(), 1, "{}", run.stdout);
    }
}

/// Files without end, and a small stack.
#[cfg(target_os = "linux")]
#[test]
fn the_system_may_give_too_much_or_too_little() {
    let folder = folder();
    for option in ["--config=/dev/zero", "--baseline=/dev/zero"] {
        let run = check(folder.path(), &[option, "faulty.ndjson"]);
        assert!(run.stderr.contains("it has more than 64 MiB"), "{}", run.stderr);
        assert_eq!(run.status, 2);
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_eq!(
        acpcheck(folder.path()).arg("--help").stdout(full).status().unwrap().code(),
        Some(2)
    );
    let mut shell = Command::new("sh");
    let command = r#"ulimit -s 64; "$0" check -q faulty.ndjson"#;
    let shell = shell.args(["-c", command, env!("CARGO_BIN_EXE_acpcheck")]);
    assert_eq!(shell.current_dir(folder.path()).output().unwrap().status.code(), Some(1));
}

/// Several are open at a time where there are many; no more than may be, be it for the limit, or for
/// those that are open already.
#[cfg(unix)]
#[test]
fn few_files_may_be_open() {
    const MANY: usize = 1000;
    let folder = folder();
    let path = folder.path().join("many");
    fs::create_dir(&path).unwrap();
    for number in 0..MANY {
        fs::copy(folder.path().join("faulty.ndjson"), path.join(format!("{number}.ndjson")))
            .unwrap();
    }
    let held = (3..=9).map(|file| format!("exec {file}</dev/null; ")).collect::<String>();
    for (held, files, jobs) in [("", 14, 2), ("", 40, 8), (&held, 13, 1)] {
        if jobs > 1 && !cfg!(target_os = "linux") {
            continue; // nobody knows the limit there
        }
        let command = format!(
            r#"{held}ulimit -n {files}; "$0" check --quiet --jobs={jobs} --format=ndjson ."#
        );
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &command, env!("CARGO_BIN_EXE_acpcheck")]);
        let output = shell.current_dir(&path).output().unwrap();
        let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), output.stderr);
        assert_eq!(
            (output.status.code(), String::from_utf8(stderr).unwrap()),
            (Some(1), String::new()),
            "{command}"
        );
        let summary = format!(r#""type":"summary","files":{MANY},"#);
        assert!(stdout.lines().last().unwrap().contains(&summary), "{command}: {stdout}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read() {
    let folder = folder();
    let path = folder.path();
    let made = Command::new("mkfifo").arg(path.join("pipe")).status().unwrap();
    assert!(made.success());
    let faulty = fs::read(path.join("faulty.ndjson")).unwrap();
    let pipe = path.join("pipe");
    let writer = std::thread::spawn(move || fs::write(pipe, faulty));
    let run = check(path, &["--format=concise", "pipe"]);
    writer.join().unwrap().unwrap();
    assert_eq!(
        (run.stdout.lines().filter(|line| line.starts_with("pipe:")).count(), run.status),
        (2, 1)
    );
}

/// Whatever stands behind a line that does not end, and however long that goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_device_without_end_is_given_up() {
    let folder = folder();
    let run = check(folder.path(), &["--format=concise", "/dev/zero", "faulty.ndjson"]);
    let why = "`/dev/zero`: line 1 is longer than 128 MiB; acpcheck stops reading there";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("faulty")).count(), 2);
    assert_eq!(run.status, 3);
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_said_in_every_format() {
    let folder = folder();
    let path = folder.path();
    let why = "No space left on device";
    for format in acpcheck::report::FORMATS {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = acpcheck(path);
        command.args(["check", "--isolated", "--format", format.name, "faulty.ndjson"]);
        let output = command.stdout(full).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("cannot write the output") && told.contains(why), "{format}: {told}");
        assert_eq!(output.status.code(), Some(2), "{format}");

        let report = format!("--report={format}=/dev/full");
        let run = check(path, &[&report, "faulty.ndjson"]);
        let told = run.stderr;
        assert!(
            told.contains("cannot write `/dev/full`") && told.contains(why),
            "{format}: {told}"
        );
        assert_eq!(run.status, 2, "{format}");
    }
}

#[cfg(unix)]
#[test]
fn a_temporary_folder_that_is_missing_is_told_from_what_is_read() {
    let folder = folder();
    let path = folder.path();
    let why = "what is too much for memory cannot be kept in the folder `missing` (TMPDIR names \
               another): No such file or directory";
    let check = |arguments: &[&str]| {
        run(acpcheck(path).env("TMPDIR", "missing").arg("check").args(arguments))
    };
    // What can be read but once is kept.
    let long = OPENING.to_owned() + &"\n".repeat(9 << 20);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(long.as_bytes()).unwrap();
    fs::write(path.join("long.gz"), packer.finish().unwrap()).unwrap();
    let run = check(&["long.gz"]);
    let told = run.stderr;
    assert!(told.contains(&format!("`long.gz`: {why}")) && !told.contains("damaged"), "{told}");
    assert!(told.contains("only what came before was read"), "{told}");
    assert_eq!(run.status, 3);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_does_not_hide_the_others() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let path = folder.path();
    let closed = path.join("closed.ndjson");
    fs::write(&closed, "{}\n").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let run = check(path, &["--format=concise", "closed.ndjson", "faulty.ndjson"]);
    // Root may read everything.
    let why = if fs::read(&closed).is_ok() { "no message found" } else { "ermission denied" };
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(
        (run.stdout.lines().filter(|line| line.starts_with("faulty")).count(), run.status),
        (2, 3)
    );
}

#[test]
fn no_files_make_a_whole_report() {
    let folder = TempDir::new().unwrap();
    let run = check(folder.path(), &["--format=json", "."]);
    json(&run);
    insta::assert_snapshot!(run.transcript());
}

/// A step that records nothing must not pass.
#[test]
fn a_folder_without_transcripts_is_an_error() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir_all(path.join("empty")).unwrap();
    fs::create_dir_all(path.join("other")).unwrap();
    fs::write(path.join("other/package.json"), "{\"name\":\"x\"}\n").unwrap();
    for command in ["check", "report"] {
        for name in ["empty", "other"] {
            let run = run_in(path, &[command, "-q", name]);
            let why = format!("error: `{name}`: no transcript in this folder\n");
            assert_eq!((run.status, run.stderr), (3, why), "{command}");
        }
        let run = run_in(path, &[command, "-q", "clean.ndjson", "empty"]);
        assert_eq!(run.status, 3, "{command}");
        let run = run_in(path, &[command, "-q", "clean.ndjson", "other"]);
        assert_eq!(run.status, 3, "{command}");
    }
    let run = check(path, &["--write-baseline=known.toml", "empty"]);
    assert!(!path.join("known.toml").exists(), "{}", run.stderr);
}

#[test]
fn the_summary_of_a_step_is_appended_to() {
    let folder = folder();
    let path = folder.path();
    let summary = path.join("summary");
    for (format, before) in [("markdown", "# Build\n"), ("concise", "# Build"), ("ndjson", "")] {
        fs::write(&summary, before).unwrap();
        let report = format!("--report={format}={}", summary.display());
        let mut command = acpcheck(path);
        command.args(["check", "-q", &report, "faulty.ndjson"]);
        run(command.env("GITHUB_STEP_SUMMARY", &summary));
        let text = fs::read_to_string(&summary).unwrap();
        let rest = text.strip_prefix(before.trim_end()).unwrap();
        assert_eq!(rest.starts_with('\n'), !before.is_empty(), "{format}: {text}");
        assert!(rest.contains("session/unknown-id"), "{format}: {text}");
        // Any other file is written anew.
        check(path, &["-q", &report, "faulty.ndjson"]);
        assert_eq!(fs::read_to_string(&summary).unwrap(), rest.trim_start(), "{format}");
    }
}

#[test]
fn folders_are_made_for_a_baseline() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(status(path, &["--write-baseline=new/deep/known.toml", "faulty.ndjson"]), 0);
    assert_eq!(status(path, &["--baseline=new/deep/known.toml", "faulty.ndjson"]), 0);
    let run = check(path, &["--write-baseline=clean.ndjson/known.toml", "faulty.ndjson"]);
    let why = "error: cannot write `clean.ndjson/known.toml`: ";
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(run.status, 2);
}

#[test]
fn standard_input_has_a_name() {
    let folder = folder();
    let faulty = || Stdio::from(fs::File::open(folder.path().join("faulty.ndjson")).unwrap());
    let arguments = ["check", "-", "--stdin-filename", "piped.ndjson"];
    let run = run(acpcheck(folder.path()).args(arguments).stdin(faulty()));
    insta::assert_snapshot!(run.transcript());
}

#[test]
fn standard_input_may_come_slowly() {
    let folder = folder();
    let mut child = acpcheck(folder.path())
        .args(["check", "--format=concise", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for part in fs::read(folder.path().join("faulty.ndjson")).unwrap().chunks(97) {
        stdin.write_all(part).unwrap();
        stdin.flush().unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("<stdin>:")).count(), 2, "{text}");
}

#[test]
fn rules_are_selected_and_ignored() {
    let folder = folder();
    let rules =
        |arguments: &[&str]| rules(folder.path(), &[arguments, &["faulty.ndjson"]].concat());
    assert_eq!(rules(&[]), ["schema/params", "session/unknown-id"]);
    assert_eq!(rules(&["--select=session"]), ["session/unknown-id"]);
    assert_eq!(rules(&["--select=session/unknown-id"]), ["session/unknown-id"]);
    assert_eq!(rules(&["--select=session,schema"]), ["schema/params", "session/unknown-id"]);
    assert_eq!(rules(&["--ignore=session"]), ["schema/params"]);
    assert_eq!(rules(&["--ignore", "session", "--ignore", "schema"]), [""; 0]);
    // What is named more exactly counts more.
    let exact = ["--ignore=session", "--select=session/unknown-id,schema"];
    assert_eq!(rules(&exact), ["schema/params", "session/unknown-id"]);
    assert_eq!(rules(&["--select=session", "--ignore=session/unknown-id"]), [""; 0]);
    assert_eq!(rules(&["--severity=schema/params=off"]), ["session/unknown-id"]);
}

#[test]
fn severities_decide_the_status() {
    let folder = folder();
    let status = |arguments: &[&str]| {
        status(folder.path(), &[&["--select=session", "faulty.ndjson"], arguments].concat())
    };
    assert_eq!(status(&[]), 1);
    assert_eq!(status(&["--fail-on=never"]), 0);
    assert_eq!(status(&["--severity=session=warning"]), 0);
    assert_eq!(status(&["--severity=session=warning", "--fail-on=warning"]), 1);
    assert_eq!(status(&["--severity=session=info", "--fail-on=warning"]), 0);
    assert_eq!(status(&["--severity=session=info", "--fail-on=info"]), 1);
    assert_eq!(status(&["--severity=session=info,session/unknown-id=error"]), 1);
    assert_eq!(status(&["--severity=session/unknown-id=error,session=info"]), 1);
}

#[test]
fn wrong_arguments_are_explained() {
    let folder = folder();
    let mut text = String::new();
    for arguments in [
        &["check"] as &[&str],
        &["check", "--select=sesion", "clean.ndjson"],
        &["check", "--ignore=unknown-id", "clean.ndjson"],
        &["check", "--severity=session", "clean.ndjson"],
        &["check", "--severity=session=loud", "clean.ndjson"],
        &["check", "--format=xml", "clean.ndjson"],
        &["check", "--edition=2024", "clean.ndjson"],
        &["explain", "sesion"],
        &["explain", "session/unknown-di"],
        &["explain", "baseline"],
        &["help", "chekc"],
        &["help", "quite-something-else"],
        &["help", "owed"],
        &["check", "-o", "report.html"],
        &["drive", "my-agent"],
        &["man", "plan"],
        &["chekc"],
    ] {
        let run = run(acpcheck(folder.path()).args(arguments));
        assert_eq!(run.status, 2, "{arguments:?}");
        let lines: Vec<_> = run.stderr.lines().collect();
        writeln!(text, "acpcheck {}\n    {}", arguments.join(" "), lines[0]).unwrap();
        let tips = lines.iter().filter(|line| line.contains("tip:"));
        tips.for_each(|tip| writeln!(text, "    {}", tip.trim()).unwrap());
    }
    insta::assert_snapshot!(text);
}

#[test]
fn requirements_are_listed_and_explained() {
    let folder = folder();
    let told = |arguments: &[&str]| run(acpcheck(folder.path()).args(arguments)).stdout;
    let musts = told(&["requirements", "--level=must", "--protocol=1", "plan"]);
    let line = musts.lines().find(|line| line.starts_with("plan.whole-list ")).unwrap();
    assert!(line.contains("MUST") && line.contains("agent") && line.contains("4 rules"), "{line}");
    assert!(!musts.contains("SHOULD") && !musts.contains("v2"));
    let unseen = told(&["requirements", "--unseen", "--side=client"]);
    assert!(unseen.contains("plan.client-replaces") && !unseen.contains(" rules]"), "{unseen}");
    let uncovered = told(&["requirements", "--uncovered"]);
    assert!(uncovered.contains("no rule: ") && !uncovered.contains("[checked by"), "{uncovered}");
    let without_drafts = told(&["requirements", "cursor-anchor"]);
    assert!(!without_drafts.contains("session.cursor-anchor-first"));
    let drafts = told(&["requirements", "cursor-anchor", "--drafts", "--format=json"]);
    let rows: serde_json::Value = serde_json::from_str(&drafts).unwrap();
    assert_eq!(rows[1]["id"], "session.cursor-anchor-fixed");
    assert_eq!(rows[0]["levels"][1]["level"], "MUST");
    let page = told(&["explain", "plan.whole-list"]);
    for part in ["plan/partial-update-proven", "protocol/v1/agent-plan#updating-plans", "Version 2"]
    {
        assert!(page.contains(part), "{page}");
    }
    let unknown = run(acpcheck(folder.path()).args(["explain", "plan.whole"]));
    assert!(unknown.status == 2 && unknown.stderr.contains("unknown requirement"));
}

#[test]
fn the_format_that_a_file_was_read_as_is_shown() {
    let folder = folder();
    let wrapped = |line: &str| format!("{{\"direction\":\"in\",\"message\":{line}}}\n");
    fs::write(
        folder.path().join("wrapped.jsonl"),
        OPENING.lines().map(wrapped).collect::<String>(),
    )
    .unwrap();
    let (read, quiet) =
        ("read as `", run(acpcheck(folder.path()).args(["check", "wrapped.jsonl"])));
    assert!(!quiet.stderr.contains(read), "{}", quiet.stderr);
    let long = run(acpcheck(folder.path()).args(["check", "-v", "wrapped.jsonl"]));
    assert!(
        long.stderr.contains(read) && long.stderr.contains("by what it contains"),
        "{}",
        long.stderr
    );
    let given = ["check", "-v", "--input-format=ndjson", "wrapped.jsonl"];
    let given = run(acpcheck(folder.path()).args(given));
    assert!(!given.stderr.contains(read), "{}", given.stderr);
}

#[test]
fn whoever_reads_may_stop() {
    let folder = folder();
    let faults = title("other", "\"Tidy\"").repeat(5_000);
    let text = OPENING.to_owned() + &faults;
    fs::write(folder.path().join("many.ndjson"), text).unwrap();
    for (arguments, status) in [
        (&["check", "--severity=session=info", "many.ndjson"] as &[&str], 0),
        (&["check", "missing.ndjson", "many.ndjson"], 3),
        (&["rules"], 0),
    ] {
        let mut child = acpcheck(folder.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 8]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.is_empty(), status < 2, "{arguments:?}: {told}");
    }
}

#[test]
fn a_line_of_megabytes_is_shown_in_part() {
    let folder = folder();
    let filler = "ä→🙂x".repeat(300_000);
    let line =
        title("s", &format!("\"{filler}\",\"updatedAt\":7,\"_meta\":{{\"x\":\"{filler}\"}}"));
    fs::write(folder.path().join("long.ndjson"), OPENING.to_owned() + &line).unwrap();
    insta::assert_snapshot!(check(folder.path(), &["long.ndjson"]).transcript());

    let report = json(&check(folder.path(), &["--format=json", "long.ndjson"]));
    let label = &report["files"][0]["diagnostics"][0]["labels"][0];
    let number = |name: &str| usize::try_from(label[name].as_u64().unwrap()).unwrap();
    let text = OPENING.to_owned() + &line;
    assert_eq!(&text[number("start")..number("end")], "7");
    assert_eq!(line.chars().nth(number("column") - 1), Some('7'));
    assert_eq!(number("end_column"), number("column") + 1);
}

/// Whether there is nothing in an output that drives a terminal, or reorders or hides text.
fn is_harmless(output: &str) -> bool {
    const HIDING: [char; 5] = ['\u{ad}', '\u{61c}', '\u{202e}', '\u{feff}', '\u{e0041}'];
    let is_text =
        |letter: char| letter == '\n' || !letter.is_control() && !HIDING.contains(&letter);
    output.chars().all(is_text)
}

#[test]
fn a_transcript_cannot_drive_the_terminal() {
    let folder = folder();
    let hostile = "\"\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{ad}\u{e0041}\",\"updatedAt\":7";
    let session = "x\u{202e}\u{61c}\u{feff}";
    let mut text = (OPENING.to_owned() + &title("s", hostile) + &title(session, "7")).into_bytes();
    text.extend(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\xfe\x1b[31m\",\"params\":7}\n\x1b[31m\xff\n",
    );
    fs::write(folder.path().join("hostile.ndjson"), text).unwrap();
    for format in ["full", "concise"] {
        let run = check(folder.path(), &["--format", format, "hostile.ndjson"]);
        assert!(is_harmless(&run.stdout), "{}", run.stdout);
        assert_eq!(run.status, 1);
    }
    json(&check(folder.path(), &["--format=json", "hostile.ndjson"]));
}

#[cfg(unix)]
#[test]
fn a_name_cannot_drive_the_terminal() {
    let folder = folder();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("\u{1b}[2Jfaulty\n.ndjson", &(OPENING.to_owned() + &title("s", "7")));
    put("\u{1b}[2Jempty\r.ndjson", "");
    put("\u{1b}[2Jletter\u{202e}.txt", "Dear all");
    put("\u{1b}[2J.toml", "[\"\\u001b[2J\"]\r# \u{1b}[2J");
    let hiding = "\u{ad}\u{61c}\u{202e}\u{feff}\u{e0041}";
    put("\u{1b}[2J3.toml", &format!("\"{hiding}\" = 1 # \u{1b}[2J {hiding}"));
    put("\u{1b}[2J2.toml", "[severity]\r\n\"\\u001b[2J\" = \"\\u001b[2J\" # \u{1b}[2J");
    for arguments in [
        &["check", "."][..],
        &["check", "--format=concise", "."],
        &["check", "\u{1b}[2Jmissing"],
        &["check", "--config=\u{1b}[2J.toml", "."],
        &["check", "--config=\u{1b}[2J2.toml", "."],
        &["check", "--config=\u{1b}[2J3.toml", "."],
        &["check", "--baseline=\u{1b}[2J", "."],
        &["check", "--report=junit=\u{1b}[2J/\u{1b}[2J/", "."],
        &["plans", "\u{1b}[2Jempty\r.ndjson"],
        &["report", "--output=\u{1b}[2Jmade.json", "."],
        &["report", "--merge", "\u{1b}[2Jmade.json"],
        &["report", "--merge", "\u{1b}[2J.toml"],
        &["check", "--\u{1b}[2J\n::error::x", "."],
        &["check", "--format=\u{1b}[2J\n::error::x", "."],
        &["check", "--severity=a=\u{1b}[2J\n::error::x", "."],
        &["check", "--jobs=\u{1b}[2J\n##[error]x", "."],
        &["\u{1b}[2J\n::error::x"],
        &["help", "\u{1b}[2J\n::error::x"],
    ] {
        let run = run(acpcheck(folder.path()).args(arguments));
        assert!(is_harmless(&run.stdout), "{arguments:?}: {:?}", run.stdout);
        assert!(is_harmless(&run.stderr), "{arguments:?}: {:?}", run.stderr);
        let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
        assert!(!run.stderr.lines().any(is_command), "{arguments:?}: {:?}", run.stderr);
        assert!((run.stdout + &run.stderr).contains("␛[2J"), "{arguments:?}");
    }
}

#[test]
fn colors_are_asked_for() {
    let folder = folder();
    let colored = |run: &Run| run.stdout.contains('\u{1b}');
    assert!(!colored(&check(folder.path(), &["faulty.ndjson"])));
    assert!(!colored(&check(folder.path(), &["--color=never", "faulty.ndjson"])));
    assert!(colored(&check(folder.path(), &["--color=always", "faulty.ndjson"])));
    assert!(!colored(&check(folder.path(), &["--color=always", "--format=json", "faulty.ndjson"])));
}

#[test]
fn a_rule_is_explained() {
    let folder = folder();
    let run = run(acpcheck(folder.path()).args(["explain", "session/unknown-id"]));
    insta::assert_snapshot!(run.transcript());
}

#[test]
fn every_rule_is_explained_with_what_it_reports() {
    let folder = folder();
    for rule in effort::one_in(30, acpcheck::rules::CATALOGUE) {
        let run = run(acpcheck(folder.path()).args(["explain", rule.id]));
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", rule.id);
        assert!(run.stdout.contains(&format!("[{}]", rule.id)), "{}", run.stdout);
    }
}

#[test]
fn rules_are_listed() {
    let folder = folder();
    let count = acpcheck::rules::CATALOGUE.len();
    let table = run(acpcheck(folder.path()).arg("rules"));
    assert_eq!(table.stdout.lines().count(), count + 1);
    let list = run(acpcheck(folder.path()).args(["rules", "--format=json"]));
    let list: Vec<serde_json::Value> = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(list.len(), count);
    assert!(list.iter().all(|rule| rule["versions"].as_array().is_some_and(|it| !it.is_empty())));
}

/// A transcript with one plan that changes and one that is removed.
fn plans() -> String {
    let update = |update: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
        ) + "\n"
    };
    let plan = |entries: &[(&str, &str, &str)]| {
        let entries: Vec<_> = entries
            .iter()
            .map(|(content, priority, status)| {
                format!(r#"{{"content":"{content}","priority":"{priority}","status":"{status}"}}"#)
            })
            .collect();
        update(&format!(r#"{{"sessionUpdate":"plan","entries":[{}]}}"#, entries.join(",")))
    };
    [
        OPENING.to_owned(),
        plan(&[("Sweep", "high", "in_progress"), ("Mop", "medium", "pending")]),
        update(r##"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"notes","content":"# Notes\n\n- Buy soap"}}"##),
        plan(&[("Sweep", "high", "completed"), ("Dust", "low", "doing")]),
        update(r#"{"sessionUpdate":"plan_removed","planId":"notes"}"#),
    ]
    .concat()
}

#[test]
fn plans_are_told_step_by_step() {
    let folder = folder();
    fs::write(folder.path().join("plans.ndjson"), plans()).unwrap();
    let told = run(acpcheck(folder.path()).args(["plans", "plans.ndjson"]));
    insta::assert_snapshot!(told.transcript());
    let at = run(acpcheck(folder.path()).args(["plans", "plans.ndjson", "--at", "6"]));
    insta::assert_snapshot!(at.transcript());
}

#[test]
fn plans_are_a_document() {
    let folder = folder();
    fs::write(folder.path().join("plans.ndjson"), plans()).unwrap();
    let told = run(acpcheck(folder.path()).args(["plans", "--format=json", "plans.ndjson"]));
    let report: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(report["format_version"], 1);
    assert_eq!(report["steps"].as_array().unwrap().len(), 4);
    insta::assert_snapshot!(report["steps"][2].to_string());
    insta::assert_snapshot!(report["shown"].to_string());
}

#[test]
fn plans_of_what_is_no_transcript() {
    let folder = folder();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (file, reason) in [
        ("notes.ndjson", "no message found"),
        ("missing.ndjson", "No such file"),
        ("empty", "no transcript in this folder"),
    ] {
        let run = run(acpcheck(folder.path()).args(["plans", file]));
        assert_eq!(run.status, 3, "{file}");
        assert!(run.stderr.contains(reason), "{file}: {}", run.stderr);
    }
}

#[test]
fn plans_of_several_transcripts_have_their_names_above() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("plans.ndjson"), plans()).unwrap();
    fs::remove_file(path.join("notes.ndjson")).unwrap();
    fs::write(path.join("package.json"), "{\"name\":\"x\"}\n").unwrap();
    let alone = |name| run_in(path, &["plans", name]).stdout;
    let expected = ["./clean.ndjson", "./faulty.ndjson", "./plans.ndjson"]
        .map(|name| format!("{name}\n\n{}", alone(name)))
        .join("\n");
    let told = run_in(path, &["plans", "."]);
    assert_eq!((told.stdout, told.stderr.as_str(), told.status), (expected, "", 0));

    let told = run_in(path, &["plans", "--format=json", "clean.ndjson", "plans.ndjson"]);
    let documents = serde_json::Deserializer::from_str(&told.stdout).into_iter();
    let documents: Vec<serde_json::Value> = documents.map(Result::unwrap).collect();
    let paths: Vec<_> = documents.iter().map(|document| &document["path"]).collect();
    assert_eq!(paths, ["clean.ndjson", "plans.ndjson"]);
}

#[test]
fn a_line_after_the_end_has_no_plans_of_its_own() {
    let folder = folder();
    fs::write(folder.path().join("plans.ndjson"), plans().trim_end()).unwrap();
    let at = |line: &str| run_in(folder.path(), &["plans", "plans.ndjson", "--at", line]);
    assert_eq!(at("8").stderr, "");
    let why = "note: `plans.ndjson` has only 8 lines: line 99 is after its end\n";
    assert_eq!((at("99").stderr.as_str(), at("99").status), (why, 0));
}

#[test]
fn help_is_there() {
    let folder = folder();
    for arguments in [
        &["--help"] as &[&str],
        &["audit", "--help"],
        &["check", "--help"],
        &["explain", "--help"],
        &["plans", "--help"],
        &["record", "--help"],
        &["report", "--help"],
        &["requirements", "--help"],
        &["rules", "--help"],
    ] {
        let run = run(acpcheck(folder.path()).args(arguments));
        let name = format!("help_{}", arguments[0].trim_start_matches('-'));
        insta::assert_snapshot!(name, run.transcript());
    }
    insta::assert_snapshot!("help_terms", run_in(folder.path(), &["help", "terms"]).transcript());
}

/// The help of all commands, and what explains the words in it.
fn helps(folder: &Path) -> Vec<String> {
    helps_in(folder, 80)
}

/// The help of all commands, and what explains the words in it, on this number of columns.
fn helps_in(folder: &Path, columns: usize) -> Vec<String> {
    let run_in = |folder, arguments: &[&str]| {
        run(acpcheck(folder).args(arguments).env("COLUMNS", columns.to_string()))
    };
    let whole = run_in(folder, &["help"]);
    assert_eq!(whole.transcript(), run_in(folder, &["--help"]).transcript());
    let (commands, _) = whole.stdout.split_once("\nOptions:\n").unwrap();
    let commands =
        commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut helps = vec![run_in(folder, &["help", "terms"]).stdout];
    for command in commands.map(|line| line.split_whitespace().next().unwrap()) {
        let help = run_in(folder, &["help", command]);
        assert_eq!(help.transcript(), run_in(folder, &[command, "--help"]).transcript());
        helps.push(help.stdout);
    }
    assert!(helps.len() > 9, "{helps:#?}");
    helps.push(whole.stdout);
    helps
}

/// Lines of the text that are wider than this, but could be shorter: those of more than one word that
/// are not code.
fn too_wide(text: &str, columns: usize) -> Vec<&str> {
    let code = regex::Regex::new(
        r#"^(Usage:| *\S*╭─\[|  +(acpcheck |acpx |"|\(|'\(|\{|> ~/|adapters = |return |commands = ))"#,
    );
    let code = code.unwrap();
    let is_word =
        |line: &str| !line.trim_start_matches([' ', '·', '│', '╰', '─', '┤']).contains(' ');
    let lines = text.lines().filter(|line| display_width(line) > columns);
    lines.filter(|line| !is_word(line) && !code.is_match(line)).collect()
}

#[test]
fn texts_fit_the_terminal() {
    let folder = folder();
    let path = folder.path();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    // Paths are never cut, so they are as short as those of a user.
    fs::create_dir_all(path.join("many")).unwrap();
    let mut count = 0;
    for family in ["plan", "session", "schema"] {
        let files = walkdir::WalkDir::new(fixtures.join(family)).sort_by_file_name();
        let files = files.into_iter().map(Result::unwrap);
        let files = files.filter(|file| file.file_type().is_file());
        for file in effort::one_in(6, files) {
            let extension = file.path().extension().unwrap().to_str().unwrap();
            fs::copy(file.path(), path.join(format!("many/{count}.{extension}"))).unwrap();
            count += 1;
        }
    }
    fs::write(path.join("wrong.toml"), "eror = 1\n[severity]\n\"plan\" = \"eror\"\n").unwrap();
    let rules = ["plan/closed-enum-value", "session/unknown-id", "config/unknown-option"];
    for columns in [80, 40] {
        let told = |arguments: &[&str]| {
            let run = run(acpcheck(path).args(arguments).env("COLUMNS", columns.to_string()));
            assert!(run.status < 4, "{}", run.stderr);
            let text = run.stdout + &run.stderr;
            assert_eq!(too_wide(&text, columns), [""; 0], "{arguments:?}");
            assert!(!text.contains('\u{a0}'), "{arguments:?}");
            text
        };
        for help in helps_in(path, columns) {
            assert_eq!(too_wide(&help, columns), [""; 0]);
        }
        told(&["help", "terms"]);
        told(&["formats"]);
        told(&["rules"]);
        told(&["requirements", "--drafts"]);
        told(&["explain", "plan"]);
        told(&["drive", "--list"]);
        told(&["plans", "many"]);
        let full = told(&["check", "--min-severity=info", "--all", "--verbose", "many"]);
        let statistics = told(&["check", "--quiet", "--statistics", "many"]);
        assert!(full.len() > 20_000 && statistics.lines().count() > 50);
        for arguments in [
            &["check", "--min-severity", "eror", "many"] as &[&str],
            &["check", "many/missing.ndjson", "notes.ndjson"],
            &["check", "--severity", "plan=loud", "many"],
            &["explain", "plan/nothing"],
            &["help", "chekc"],
            &["chekc"],
            &["plans", "--at=999", "clean.ndjson"],
            &["drive", "--scenario=all", "--", "agent"],
            &["check", "--config=wrong.toml", "clean.ndjson"],
        ] {
            assert!(!told(arguments).is_empty());
        }
        for rule in rules {
            let page =
                run(acpcheck(path).args(["explain", rule]).env("COLUMNS", columns.to_string()));
            // The messages of the examples are as long as they are.
            let lines = page.stdout.lines().filter(|line| !line.starts_with("    {"));
            let page: Vec<_> = lines.collect();
            assert_eq!(too_wide(&page.join("\n"), columns), [""; 0]);
            // Findings show theirs in parentheses.
            let is_address =
                |line: &&&str| line.contains("https://") && !line.contains("(https://");
            let addresses = page.iter().filter(is_address);
            assert!(addresses.clone().count() > 0);
            for line in addresses {
                assert!(line.starts_with("    ") && !line.starts_with("     "), "{line}");
            }
        }
    }
}

#[test]
fn code_in_help_stays_on_one_line() {
    let folder = folder();
    let told = |arguments: &[&str], columns| {
        run(acpcheck(folder.path()).args(arguments).env("COLUMNS", columns)).stdout
    };
    let mut texts = helps_in(folder.path(), 80);
    texts.extend([told(&["help", "terms"], "80"), told(&["formats"], "80")]);
    for text in &texts {
        for line in text.lines() {
            assert!(line.matches('`').count().is_multiple_of(2), "{line}");
        }
    }
    // A list keeps its indent.
    let narrow = told(&["help"], "40");
    assert!(
        narrow.contains("\n  2  could not run: wrong arguments, or\n     the output"),
        "{narrow}"
    );
}

#[test]
fn commands_in_help_run() {
    let folder = folder();
    let path = folder.path();
    check(path, &["--write-baseline=known.toml", "faulty.ndjson"]);
    let quoted = regex::Regex::new("`([^`]+)`").unwrap();
    let shown = regex::Regex::new("(?m)  (acpcheck [a-z ]+?)(?: >| [|]|,|$)").unwrap();
    let mut tried = BTreeSet::new();
    for help in helps(path) {
        let flat = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let quoted = quoted.captures_iter(&flat).map(|it| it[1].to_owned());
        let shown = shown.captures_iter(&help).map(|it| it[1].to_owned());
        for text in quoted.chain(shown) {
            let is_rule = text.split('/').filter(|part| !part.is_empty()).count() == 2
                && text.chars().all(|it| it.is_ascii_lowercase() || "-/".contains(it));
            assert!(!is_rule || acpcheck::rules::find(&text).is_some(), "`{text}` is not a rule");
            let command = match text.strip_prefix("acpcheck ") {
                Some(command) => command.to_owned(),
                None if text.starts_with("--") && text.contains(' ') => format!("check {text}"),
                None => continue,
            };
            if !tried.insert(command.clone()) {
                continue;
            }
            let mut arguments: Vec<_> = command
                .split(' ')
                .map(|word| match word {
                    "COMMAND" => "check",
                    "FILE" => "known.toml",
                    "NAME" => "ndjson",
                    "PATH" | "DIR" => "recordings/",
                    "AGENT" => "true",
                    "RULE" => "plan/status-regression",
                    "REQUIREMENT" => "plan.whole-list",
                    word => word,
                })
                .collect();
            match arguments[0] {
                "check" => arguments.push("clean.ndjson"),
                "record" if !arguments.contains(&"true") => arguments.push("true"),
                _ => {}
            }
            let run = run_in(path, &arguments);
            assert_ne!(run.status, 2, "`{text}`: {}", run.stderr);
        }
    }
    assert!(tried.len() > 12, "{tried:?}");
}

#[test]
fn the_rules_of_a_family_are_listed() {
    let folder = folder();
    let told = run_in(folder.path(), &["explain", "plan"]);
    assert_eq!(told.status, 0);
    for rule in acpcheck::rules::CATALOGUE {
        let is_listed = told.stdout.contains(&format!("\n{}\n", rule.id));
        assert_eq!(is_listed, rule.family() == "plan", "{}", rule.id);
    }
    assert!(told.stdout.contains("(warning; info for markdown plans)"), "{}", told.stdout);
}

#[test]
fn what_is_so_of_many_recordings_is_said_once() {
    let folder = TempDir::new().unwrap();
    let wrapped: String = OPENING
        .lines()
        .zip(["c2a", "a2c"].into_iter().cycle())
        .map(|(message, way)| format!("{{\"ts\":1.5,\"dir\":\"{way}\",\"msg\":{message}}}\n"))
        .collect();
    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        fs::write(folder.path().join(name), &wrapped).unwrap();
    }
    fs::write(folder.path().join("d.ndjson"), OPENING).unwrap();
    let run = check(folder.path(), &["."]);
    let notes: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    let of_all = ["a.jsonl", "b.jsonl", "c.jsonl"].iter().all(|name| notes[0].contains(name));
    assert!(of_all && !notes[0].contains("d.ndjson"), "{notes:?}");
    assert_eq!((run.status, check(folder.path(), &["-q", "."]).stderr.as_str()), (0, ""));
}

/// More than two megabytes, with all that makes lines unlike one another.
fn large() -> Vec<u8> {
    let said = |text: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
        )
    };
    let mut bytes = OPENING.as_bytes().to_vec();
    for number in 0..9000 {
        let line = match number % 997 {
            100 => title("s", "7"),
            200 => title(&format!("t{number}"), "\"Tidy\""),
            300 => "{\"jsonrpc\":\"2.0\",\n  \"method\":\"_x\"}\r\n".to_owned(),
            400 => "[info] ready\n\n \r\n".to_owned(),
            500 => format!("\u{feff}{}\n", said("marked")),
            600 => "Content-Length: 12\r\n\r\n".to_owned(),
            700 => format!("{}\n", said(&"long ".repeat(80_000))),
            other => format!("{}\n", said(&"ü".repeat(other % 60))),
        };
        bytes.extend_from_slice(line.as_bytes());
        if number % 1999 == 0 {
            bytes.extend_from_slice(b"\xff\xfe\n");
        }
    }
    bytes
}

#[test]
fn a_large_file_is_judged_alike_on_any_number_of_threads() {
    let folder = folder();
    let whole = large();
    let cut = whole.len() - 30;
    assert!(cut > 5 << 20);
    fs::write(folder.path().join("whole.ndjson"), &whole).unwrap();
    fs::write(folder.path().join("cut.ndjson"), &whole[..cut]).unwrap();
    let wide = whole.iter().flat_map(|byte| [*byte, 0]).collect::<Vec<_>>();
    fs::write(folder.path().join("wide.ndjson"), [&[0xff, 0xfe], wide.as_slice()].concat())
        .unwrap();
    for name in ["whole.ndjson", "cut.ndjson", "."] {
        let judged = |jobs: &str, stack: Option<&str>| {
            let mut command = acpcheck(folder.path());
            // Where it asks for more than there can be, no thread begins.
            command.envs(stack.map(|stack| ("RUST_MIN_STACK", stack)));
            run(command.args(["check", "--format", "json", jobs, name])).transcript()
        };
        let alone = judged("-j1", None);
        assert!(alone.contains("transport/invalid-utf8"), "{alone}");
        for jobs in effort::one_in(2, ["-j2", "-j8"]) {
            assert!(judged(jobs, None) == alone, "{name} with {jobs}");
        }
        if cfg!(all(target_os = "linux", target_pointer_width = "64")) {
            let stack = (1_u64 << 47).to_string();
            assert!(judged("-j3", Some(&stack)) == alone, "{name} where no thread is to be had");
        }
    }
}

/// A transcript with 40 unknown fields in a row, a wrong plan status twice, and an answer to nothing.
fn noisy() -> String {
    let update = |update: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
        )
    };
    let mut transcript = OPENING.to_owned();
    for number in 0..40 {
        let line = update(&format!(r#"{{"sessionUpdate":"plan","entries":[],"x{number}":1}}"#));
        transcript += &(line + "\n");
    }
    for content in ["Sweep", "Mop"] {
        let entry = format!(r#"{{"content":"{content}","priority":"high","status":"done"}}"#);
        let line = update(&format!(r#"{{"sessionUpdate":"plan","entries":[{entry}]}}"#));
        transcript += &(line + "\n");
    }
    transcript
}

#[test]
fn what_recurs_is_shown_once_in_full() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.ndjson"), noisy()).unwrap();
    fs::write(folder.path().join("b.ndjson"), noisy()).unwrap();
    let shown = |arguments: &[&str]| check(folder.path(), arguments).stdout;

    let one = shown(&["a.ndjson"]);
    assert_eq!(one.matches("[plan/").count(), 1, "{one}");
    assert!(one.contains("note: 1 more like it, in line "), "{one}");

    let both = shown(&["."]);
    assert_eq!(both.matches("[plan/").count(), 1, "{both}");
    assert!(both.contains("note: 3 more like it, also in 1 other file: `./b.ndjson`"), "{both}");

    // One line for each in the other text, and everything for programs.
    let lines = shown(&["a.ndjson", "--format", "concise"]);
    assert_eq!(lines.matches("[plan/").count(), 2, "{lines}");
}

#[test]
fn several_files_are_told_by_implementation() {
    let opening = |agent: &str| {
        format!(
            "{{\"dir\":\"client->agent\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{{\
             \"protocolVersion\":1,\"clientInfo\":{{\"name\":\"pan\",\"version\":\"2\"}}}}}}}}\n\
             {{\"dir\":\"agent->client\",\"msg\":{{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{{\"protocolVersion\":1,\
             \"agentInfo\":{{\"name\":\"{agent}\",\"version\":\"1.{}\"}}}}}}}}\n",
            agent.len()
        )
    };
    let bad = "{\"dir\":\"agent->client\",\"msg\":{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":7}}\n";
    let worse = bad.repeat(2);
    let folder = TempDir::new().unwrap();
    let files = [("a", "kettle", bad), ("b", "kettle", ""), ("c", "grill\u{1b}[2J", &*worse)];
    for (name, agent, rest) in files {
        let agent = agent.replace('\u{1b}', "\\u001b");
        fs::write(folder.path().join(name.to_owned() + ".ndjson"), opening(&agent) + rest).unwrap();
    }
    let told = check(folder.path(), &["."]).stdout;
    let lines: Vec<_> = told.lines().take(3).collect();
    let [grill, kettle, clean] = lines[..] else { panic!("{told}") };
    assert!(grill.starts_with("agent grill") && grill.ends_with("2 errors in 1 file"), "{told}");
    assert!(!grill.contains('\u{1b}'), "{told}");
    assert_eq!(kettle, "agent kettle 1.6: 1 error in 1 of 2 files");
    assert_eq!(clean, "no findings: client pan 2");
    let place = |title: &str| told.find(title).unwrap_or_else(|| panic!("{title}: {told}"));
    assert!(place("── agent grill") < place("── agent kettle 1.6 ──"), "{told}");

    let alone = check(folder.path(), &["a.ndjson"]).stdout;
    assert!(alone.starts_with("error[") && !alone.contains("── agent"), "{alone}");
}

#[test]
fn the_rest_is_counted_and_can_be_shown() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.ndjson"), noisy()).unwrap();
    let shown = |arguments: &[&str]| check(folder.path(), arguments).stdout;
    let infos =
        ["a.ndjson", "--select", "ext/unknown-field", "--severity", "ext/unknown-field=info"];

    let quiet = shown(&infos);
    assert!(quiet.contains("40 infos hidden: `--min-severity info` shows them"), "{quiet}");
    assert_eq!(quiet.matches("[ext/unknown-field]").count(), 0, "{quiet}");

    let some = shown(&[&infos[..], &["--min-severity", "info"]].concat());
    assert_eq!(some.matches("[ext/unknown-field]").count(), 30, "{some}");
    assert!(some.contains("and findings of 10 more causes: `--all` shows them"), "{some}");

    let all = shown(&[&infos[..], &["--min-severity", "info", "--all"]].concat());
    assert_eq!(all.matches("[ext/unknown-field]").count(), 40, "{all}");

    let errors = shown(&[&infos[..], &["--format", "concise", "--min-severity", "error"]].concat());
    assert!(!errors.contains("[ext/unknown-field]"), "{errors}");
    // What makes the run fail is not hidden.
    let failing = shown(&[&infos[..], &["--fail-on", "info"]].concat());
    assert_eq!(failing.matches("[ext/unknown-field]").count(), 30, "{failing}");
}

#[test]
fn the_reports_in_a_folder_are_merged() {
    let folder = folder();
    let path = folder.path();
    for (name, part) in [("faulty.ndjson", "parts/b/one.json"), ("clean.ndjson", "parts/a.json")] {
        assert!(run_in(path, &["report", "-q", "-o", part, name]).status < 2);
    }
    fs::write(path.join("parts/read.me"), "").unwrap();
    let whole = run_in(path, &["report", "-q", "--format=json", "clean.ndjson", "faulty.ndjson"]);
    let merge = ["report", "-q", "--merge", "parts", "-o", "parts"];
    // The second time, the first result stands among the parts.
    for _ in 0..2 {
        assert_eq!(run_in(path, &merge).status, 1);
        let merged = fs::read_to_string(path.join("parts/compliance.json")).unwrap();
        assert!(merged == whole.stdout, "{merged}");
    }
    fs::create_dir(path.join("empty")).unwrap();
    let run = run_in(path, &["report", "--merge", "empty"]);
    assert_eq!(run.stderr, "error: cannot merge `empty`: no JSON report in this folder\n");
    assert_eq!(run.status, 2);
}

#[test]
fn one_side_is_reported_alone() {
    let client = OPENING.replace(r#""cwd":"/work""#, r#""cwd":7"#);
    let folder = run::folder(&[("t.ndjson", &(client + &title("s", "7")))]);
    let told = |arguments: &[&str]| {
        let run = check(folder.path(), &[&["--format=concise", "t.ndjson"], arguments].concat());
        let found: Vec<_> = run.stdout.lines().filter(|line| line.contains(": error[")).collect();
        let sides = found.iter().map(|line| line.split("] ").nth(1).unwrap());
        let sides: Vec<_> = sides.map(|text| text.split(':').next().unwrap().to_owned()).collect();
        let told = run.stdout.replace('\n', " ") + &run.stderr.replace('\n', " ");
        (sides, told.contains("1 finding of the other side not shown"), run.status)
    };
    let sides = |sides: &[&str]| sides.iter().map(|side| (*side).to_owned()).collect::<Vec<_>>();
    assert_eq!(told(&[]), (sides(&["client", "agent"]), false, 1));
    assert_eq!(told(&["--side=agent"]), (sides(&["agent"]), true, 1));
    assert_eq!(told(&["--side=client"]), (sides(&["client"]), true, 1));
    // The totals, the status, the baseline and the configuration follow.
    fs::write(folder.path().join("acpcheck.toml"), "side = \"client\"").unwrap();
    assert_eq!(told(&[]), (sides(&["client"]), true, 1));
    assert_eq!(told(&["--side=agent"]), (sides(&["agent"]), true, 1));
    let report = json(&check(folder.path(), &["--format=json", "t.ndjson"]));
    assert_eq!(
        (&report["summary"]["errors"], &report["summary"]["other_side"]),
        (&1.into(), &1.into())
    );
    assert_eq!(status(folder.path(), &["--write-baseline=known.toml", "t.ndjson"]), 0);
    assert_eq!(told(&["--baseline=known.toml"]), (sides(&[]), true, 0));
    assert_eq!(told(&["--baseline=known.toml", "--side=agent"]).2, 1);
}

#[test]
fn a_report_on_one_side_has_no_verdict_on_the_other() {
    let client = OPENING.replace(r#""cwd":"/work""#, r#""cwd":7"#);
    let folder = run::folder(&[("t.ndjson", &client)]);
    let report = |side: &str| {
        let run = run_in(folder.path(), &["report", "--format=markdown", side, "t.ndjson"]);
        (run.stdout, run.status)
    };
    let (text, status) = report("--side=agent");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("1 finding of the other side not shown."), "{text}");
    assert!(!text.contains("client editor"), "{text}");
    let (text, status) = report("--side=client");
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("editor") && !text.contains("not shown"), "{text}");
}

#[test]
fn the_beginning_of_names_is_enough_for_a_suggestion() {
    let folder = folder();
    let run = check(folder.path(), &["--select=plan/partial-update", "clean.ndjson"]);
    assert_eq!(run.status, 2);
    for name in ["proven", "shape", "suspected"] {
        assert!(run.stderr.contains(&format!("plan/partial-update-{name}")), "{}", run.stderr);
    }
}

#[test]
fn some_rules_are_listed() {
    let folder = folder();
    let run = run_in(folder.path(), &["rules", "--format=json", "plan", "session/unknown-id"]);
    let rules: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let ids = rules.as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap());
    let ids: Vec<_> = ids.collect();
    assert!(ids.contains(&"plan/missing-id") && ids.contains(&"session/unknown-id"), "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("plan/") || *id == "session/unknown-id"), "{ids:?}");
}
