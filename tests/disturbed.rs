//! Runs that the world disturbs: files that go away, links in circles, pipes that nobody reads,
//! interrupts.
#![cfg(unix)]

use std::{
    fs::{self, File, OpenOptions},
    io::{Read as _, Write as _},
    os::unix::{
        fs::{PermissionsExt as _, symlink},
        process::ExitStatusExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
    thread,
    time::Duration,
};

use super::{
    run::{self, Run, folder, title},
    support::OPENING,
};
use acpcheck::report::{FORMATS, OutputFormat, find};

/// A title of a wrong type.
static FAULTY: LazyLock<String> = LazyLock::new(|| OPENING.to_owned() + &title("s", "7"));

/// The same with many answers to nothing.
fn with_strays(count: usize) -> String {
    let strays: String = (0..count)
        .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":{{}}}}\n"))
        .collect();
    FAULTY.to_owned() + &strays
}

impl Run {
    /// The beginnings of the lines about findings, up to the line number.
    fn found(&self) -> Vec<&str> {
        let place = |line: &'_ str| line.match_indices(':').nth(1).map(|(end, _)| end);
        let places = self.stdout.lines().filter_map(|line| line.get(..place(line)?));
        places.map(|place| place.trim_start_matches("./")).collect()
    }
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    run::start(folder, &[&["check", "--isolated"], arguments].concat())
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(start(folder, arguments))
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn files_may_go_away_before_they_are_read() {
    let folder = folder(&[("a.ndjson", &FAULTY), ("b.ndjson", &FAULTY), ("c.ndjson", &FAULTY)]);
    let path = |name: &str| folder.path().join(name);
    pipe(&path("first"));
    let child = start(folder.path(), &["--jobs=1", "--format=concise", "first", "."]);
    // Opening waits for the program, which has looked into the folder by then.
    let mut first = OpenOptions::new().write(true).open(path("first")).unwrap();
    fs::remove_file(path("a.ndjson")).unwrap();
    File::create(path("b.ndjson")).unwrap();
    first.write_all(FAULTY.as_bytes()).unwrap();
    drop(first);
    let run = Run::of(child);
    assert_eq!(
        run.found(),
        ["first:5", "./c.ndjson:5"].map(|place| place.trim_start_matches("./"))
    );
    assert_eq!(run.status, 3, "{}", run.stderr);
    assert!(run.stderr.contains("a.ndjson`: No such file or directory"), "{}", run.stderr);
    assert!(run.stderr.contains("b.ndjson`"), "{}", run.stderr);
}

/// Places are told by reading the file once more: what is no longer there cannot be shown.
#[test]
fn files_may_shrink_while_they_are_read() {
    let text = with_strays(4_000);
    for delay in [0, 5, 20, 40, 80] {
        for format in ["full", "json"] {
            let folder = folder(&[("t.ndjson", &text), ("other.ndjson", &FAULTY)]);
            let arguments = [&format!("--format={format}"), "--jobs=1", "t.ndjson", "other.ndjson"];
            let child = start(folder.path(), &arguments);
            let path = folder.path().join("t.ndjson");
            let shrunk = thread::spawn(move || {
                thread::sleep(Duration::from_millis(delay));
                OpenOptions::new().write(true).open(path).unwrap().set_len(700).unwrap();
            });
            let run = Run::of(child);
            shrunk.join().unwrap();
            assert!(matches!(run.status, 1 | 3), "{:?}: {}", run.status, run.stderr);
            assert!(run.stdout.contains("other.ndjson"), "{}", run.stderr);
            if format == "json" {
                serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
            }
        }
    }
}

#[test]
fn links_that_lead_nowhere_do_not_hide_the_others() {
    let folder = folder(&[("t.ndjson", &FAULTY)]);
    let path = |name: &str| folder.path().join(name);
    symlink("self.ndjson", path("self.ndjson")).unwrap();
    symlink("there.ndjson", path("here.ndjson")).unwrap();
    symlink("here.ndjson", path("there.ndjson")).unwrap();
    fs::create_dir(path("deep")).unwrap();
    symlink("..", path("deep/up")).unwrap();
    symlink("../deep", path("deep/again")).unwrap();
    let named = run(folder.path(), &["--format=concise", "self.ndjson", "here.ndjson", "t.ndjson"]);
    assert_eq!((named.found(), named.status), (vec!["t.ndjson:5"], 3));
    assert_eq!(named.stderr.matches("Too many levels of symbolic links").count(), 2);
    let found = run(folder.path(), &["--format=concise", "."]);
    assert_eq!((found.found(), found.status), (vec!["t.ndjson:5"], 3), "{}", found.stderr);
}

/// Nobody writes into it, and it is not waited for.
#[test]
fn pipes_in_folders_are_passed_over() {
    let folder = folder(&[("t.ndjson", &FAULTY)]);
    pipe(&folder.path().join("a.ndjson"));
    let run = run(folder.path(), &["--format=concise", "."]);
    assert_eq!((run.found(), run.status), (vec!["t.ndjson:5"], 1));
}

#[test]
fn a_folder_that_may_not_be_read_does_not_hide_the_others() {
    let folder = folder(&[("t.ndjson", &FAULTY)]);
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything.
    let is_closed = fs::read_dir(&closed).is_err();
    for arguments in [&["."][..], &["closed", "t.ndjson"]] {
        let run = run(folder.path(), &[&["--format=concise"], arguments].concat());
        assert_eq!(run.found(), ["t.ndjson:5"]);
        // Whoever may read it sees that it is empty.
        let is_named = arguments[0] == "closed";
        assert_eq!(run.status, if is_closed || is_named { 3 } else { 1 }, "{}", run.stderr);
        assert_eq!(run.stderr.contains("ermission denied"), is_closed, "{}", run.stderr);
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn nobody_need_read_to_the_end() {
    let folder = folder(&[("t.ndjson", &with_strays(5_000))]);
    for format in FORMATS {
        let mut child = start(folder.path(), &["t.ndjson", &format!("--format={format}")]);
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        let run = Run::of(child);
        // What was found until then was found.
        assert_eq!(run.status, 1, "{format}");
        assert_eq!(run.stderr, "", "{format}");
    }
}

/// Interrupts the program while it waits for its standard input, with the first file judged.
fn interrupted(folder: &Path, arguments: &[&str], is_ready: impl Fn() -> bool) {
    let out = File::create(folder.join("stdout")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_acpcheck"))
        .current_dir(folder)
        .args(["check", "--isolated", "--jobs=1", "t.ndjson", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(out)
        .spawn()
        .unwrap();
    for _ in 0..600 {
        if is_ready() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    interrupt(&child);
    assert_interrupted(&mut child);
}

fn interrupt(child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

/// Shells report it as 130.
fn assert_interrupted(child: &mut Child) {
    let mut ended = None;
    for _ in 0..600 {
        ended = child.try_wait().unwrap();
        if ended.is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ended.and_then(|status| status.signal()), Some(2), "{ended:?}");
}

/// A program that has written more than a pipe takes, and by now most likely waits for its reader in
/// the middle of a write.
fn start_writing(folder: &Path, format: &OutputFormat) -> Child {
    let mut child = start(folder, &["t.ndjson", &format!("--format={format}")]);
    child.stdout.as_mut().unwrap().read_exact(&mut vec![0; 70_000]).unwrap();
    thread::sleep(Duration::from_millis(200));
    child
}

#[test]
fn an_interrupted_run_ends_the_lines_that_it_writes() {
    let folder = folder(&[("t.ndjson", &with_strays(5_000))]);
    for format in FORMATS.iter().copied().filter(|format| format.is_read_along) {
        let mut child = start_writing(folder.path(), format);
        interrupt(&child);
        let mut text = String::new();
        child.stdout.as_mut().unwrap().read_to_string(&mut text).unwrap();
        assert!(text.ends_with('\n'), "{format}: …{}", &text[text.len().saturating_sub(99)..]);
        assert_interrupted(&mut child);
    }
}

#[test]
fn the_second_interrupt_does_not_wait_for_a_reader() {
    let folder = folder(&[("t.ndjson", &with_strays(5_000))]);
    let mut child = start_writing(folder.path(), find("ndjson").unwrap());
    interrupt(&child);
    // One that comes before the system has delivered the one before is lost.
    for _ in 0..600 {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        interrupt(&child);
        thread::sleep(Duration::from_millis(50));
    }
    assert_interrupted(&mut child);
}

#[test]
fn an_interrupted_run_cuts_no_line() {
    for format in FORMATS.iter().copied().filter(|format| format.is_read_along) {
        let folder = folder(&[("t.ndjson", &with_strays(3_000))]);
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        let report = format!("--report={format}=report");
        let written = |name: &str| fs::read_to_string(path(name)).unwrap_or_default();
        let is_ready = || written("stdout").len() > 10_000 && written("report").len() > 10_000;
        interrupted(folder.path(), &[&format!("--format={format}"), &report], is_ready);
        for name in ["stdout", "report"] {
            let text = written(name);
            assert!(text.ends_with('\n'), "{format}: …{}", &text[text.len().saturating_sub(99)..]);
            if format.name == "ndjson" {
                for line in text.lines() {
                    serde_json::from_str::<serde_json::Value>(line).unwrap();
                }
            }
        }
    }
}

#[test]
fn an_interrupted_run_leaves_older_reports_and_nothing_else() {
    let folder = folder(&[("t.ndjson", &with_strays(300)), ("report", "older\n")]);
    let whole = FORMATS.iter().copied().filter(|format| !format.is_read_along);
    let reports: Vec<_> = whole
        .enumerate()
        .map(|(number, format)| match number {
            0 => format!("--report={format}=report"),
            _ => format!("--report={format}=new/{format}"),
        })
        .chain(["--report=ndjson=progress".to_owned()])
        .collect();
    let arguments: Vec<_> = reports.iter().map(String::as_str).collect();
    let written = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let is_ready = || written("progress").contains("\"type\":\"file\"");
    interrupted(folder.path(), &arguments, is_ready);
    assert_eq!(written("report"), "older\n");
    assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 0);
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["new", "progress", "report", "stdout", "t.ndjson"]);
}
