//! Collections that are checked in parts: what Apache Spark, GNU parallel or xargs make of them is
//! what one run makes. A tool that is not here is passed over, and `.ci/run` says so.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Some transcripts of several agents, with and without findings, from the folder of the project.
fn transcripts() -> Vec<String> {
    let mut paths: Vec<_> =
        ["recorded/kettle-agent-0.3.0", "plan/partial-update-proven", "registry"]
            .iter()
            .flat_map(|folder| walkdir::WalkDir::new(root().join("fixtures").join(folder)))
            .map(Result::unwrap)
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "ndjson"))
            .map(|entry| entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned())
            .collect();
    paths.sort_unstable();
    assert!(paths.len() > 20);
    paths
}

fn run(command: &mut Command) -> Output {
    let output = command.current_dir(root()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|status| status < 2), "{command:?}\n{stderr}");
    output
}

/// The report of one run.
fn whole(paths: &[String]) -> String {
    let output = run(Command::new(PROGRAM)
        .args(["report", "--quiet", "--format=json", "--fail-on=never"])
        .args(paths));
    String::from_utf8(output.stdout).unwrap()
}

fn is_there(program: &str, argument: &str, text: &str) -> bool {
    let output = Command::new(program).args([argument, text]).output();
    output.is_ok_and(|output| output.status.success())
}

#[test]
fn spark_makes_the_report_of_one_run_and_a_table() {
    let python = env::var("ACPCHECK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !is_there(&python, "-c", "import pyspark") || !is_there("java", "-version", "-version") {
        return;
    }
    let (folder, paths) = (TempDir::new().unwrap(), transcripts());
    let list = folder.path().join("list");
    fs::write(&list, paths.join("\n")).unwrap();
    let output = run(Command::new(&python)
        .args(["tests/spark.py", "--tasks=3", "--most=3", "--program", PROGRAM, "--list"])
        .arg(&list)
        .arg("--output")
        .arg(folder.path().join("out"))
        .env("PYSPARK_PYTHON", &python)
        .env("SPARK_LOCAL_IP", "127.0.0.1"));
    let whole = whole(&paths);
    let merged = fs::read_to_string(folder.path().join("out/compliance.json")).unwrap();
    assert!(merged == whole, "the merged report is not that of one run");
    // Three shares of more than three paths are more than three parts.
    assert!(fs::read_dir(folder.path().join("out/parts")).unwrap().count() > 3);

    let table = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.contains('/'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let report: Value = serde_json::from_str(&whole).unwrap();
    for (column, severity) in [(4, "errors"), (5, "warnings"), (6, "infos")] {
        let counts = rows.iter().map(|row| row[column].parse::<u64>().unwrap());
        assert_eq!(counts.sum::<u64>(), report["summary"][severity], "{table}");
    }
    let is_blamed = |row: &Vec<&str>| row[..2] == ["plan/partial-update-proven", "beehive"];
    assert!(rows.iter().any(is_blamed), "{table}");
    assert!(fs::read_dir(folder.path().join("out/findings")).unwrap().count() > 1);
}

/// Makes the parts by a line of a shell, which finds the paths in `list`, and merges them.
fn merged(line: &str) {
    let (folder, paths) = (TempDir::new().unwrap(), transcripts());
    fs::write(folder.path().join("list"), paths.join("\n") + "\n").unwrap();
    let program = Path::new(PROGRAM).parent().unwrap();
    let mut path: Vec<PathBuf> = vec![program.to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let line = line.replace("FOLDER", folder.path().to_str().unwrap());
    run(Command::new("sh").args(["-ec", &line]).env("PATH", env::join_paths(path).unwrap()));
    assert!(fs::read_dir(folder.path().join("parts")).unwrap().count() > 2);
    let output = run(Command::new(PROGRAM)
        .args(["report", "--merge", "--quiet", "--format=json", "--fail-on=never"])
        .arg(folder.path().join("parts")));
    assert!(String::from_utf8(output.stdout).unwrap() == whole(&paths), "{line}");
}

#[test]
fn gnu_parallel_makes_the_report_of_one_run() {
    let version = Command::new("parallel").arg("--version").output();
    if version.is_ok_and(|output| output.stdout.starts_with(b"GNU parallel")) {
        merged(
            "parallel --jobs 2 --max-args 9 acpcheck report -q --fail-on never --format json \
             -o FOLDER/parts/{#}.json {} <FOLDER/list",
        );
    }
}

#[test]
fn xargs_makes_the_report_of_one_run() {
    merged(
        "xargs -P 2 -n 9 sh -c 'acpcheck report -q --fail-on never --format json \
         -o FOLDER/parts/$$.json \"$@\"' sh <FOLDER/list",
    );
}
