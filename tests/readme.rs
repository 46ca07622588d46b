//! The README says what is so: its commands run, the output it shows is real, its table is that of
//! the catalogue.
//!
//! Where it does not, the README is put right and the test fails once: read the difference, and run
//! the tests again.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use acpcheck::{
    report::rules,
    transcript::{FORMATS, Read},
};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")
}

/// Runs a line of a shell as a user would who has installed the program.
fn run(line: &str) -> (String, i32) {
    let program = Path::new(env!("CARGO_BIN_EXE_acpcheck")).parent().unwrap();
    let mut paths = vec![program.to_owned()];
    paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {line}\n}} 2>&1")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// What a block of the README is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Prose,
    /// Commands.
    Shell,
    /// A command and its output.
    Console,
    Other,
}

/// Each line with the block it belongs to; fences belong to none.
fn lines(readme: &str) -> Vec<(Block, &str)> {
    let mut block = Block::Prose;
    let mut lines = Vec::new();
    for line in readme.lines() {
        if let Some(language) = line.strip_prefix("```") {
            block = match (block, language) {
                (Block::Prose, "sh") => Block::Shell,
                (Block::Prose, "console") => Block::Console,
                (Block::Prose, _) => Block::Other,
                _ => Block::Prose,
            };
            lines.push((Block::Prose, line));
        } else {
            lines.push((block, line));
        }
    }
    lines
}

/// The formats as a table, those that can be read first.
fn formats() -> String {
    let is_refused = |read: Read| matches!(read, Read::Refused(_));
    let mut rows: Vec<_> = FORMATS
        .iter()
        .map(|format| {
            let cell = |text: &str| text.replace('|', "\\|");
            let row = [cell(format.about), cell(format.obtain)].join(" | ");
            (is_refused(format.read), format.name, row)
        })
        .collect();
    rows.sort_unstable();
    let rows: String =
        rows.iter().map(|(_, name, row)| format!("| `{name}` | {row} |\n")).collect();
    format!("| Format | What it is | How to get one |\n| --- | --- | --- |\n{rows}")
}

/// The README as it should be.
fn corrected(readme: &str) -> String {
    let mut out = String::new();
    let mut is_table = false;
    for (block, line) in lines(readme) {
        if matches!(line, "<!-- end of rules -->" | "<!-- end of formats -->") {
            is_table = false;
        }
        // Output is written anew behind its command.
        if !is_table && (block != Block::Console || line.starts_with("$ ")) {
            out.push_str(line);
            out.push('\n');
        }
        let table = match line {
            line if line.starts_with("<!-- rules:") => Some(rules::markdown()),
            line if line.starts_with("<!-- formats:") => Some(formats()),
            _ => None,
        };
        if let Some(table) = table {
            is_table = true;
            out.push_str(&["\n", &table, "\n"].concat());
        } else if let (Block::Console, Some(command)) = (block, line.strip_prefix("$ ")) {
            out.push_str(&run(command).0);
        }
    }
    out
}

#[test]
fn what_it_shows_is_so() {
    let readme = fs::read_to_string(path()).unwrap();
    let corrected = corrected(&readme);
    if readme != corrected {
        fs::write(path(), corrected).unwrap();
        panic!("README.md was out of date and has been rewritten; read the difference");
    }
}

#[test]
fn its_commands_run() {
    let readme = fs::read_to_string(path()).unwrap();
    let mut count = 0;
    for (_, line) in lines(&readme).into_iter().filter(|(block, _)| *block == Block::Shell) {
        if line.starts_with("cargo test") || line.starts_with("cargo install") {
            continue;
        }
        if line.starts_with("parallel ") && run("command -v parallel").1 != 0 {
            // What it would do, one after the other.
            let (command, parts) = line["parallel ".len()..].split_once(" ::: ").unwrap();
            let command = command.replace("{}", "\"$part\"");
            let (output, status) = run(&format!("for part in {parts}; do {command}; done"));
            assert_eq!(status, 0, "$ {line}\n{output}");
            continue;
        }
        let command = line.replace("cargo run --release -- ", "acpcheck ");
        assert!(command.contains("acpcheck "), "what is `{line}`?");
        let (output, status) = run(&command);
        assert_eq!(status, 0, "$ {command}\n{output}");
        count += 1;
    }
    assert!(count > 5);
}

#[test]
fn it_begins_with_two_commands_that_need_only_a_clone() {
    let readme = fs::read_to_string(path()).unwrap();
    let commands: Vec<_> =
        lines(&readme).into_iter().filter(|(block, _)| *block == Block::Shell).take(2).collect();
    let commands: Vec<_> = commands.iter().map(|(_, line)| *line).collect();
    assert_eq!(commands, ["cargo run --release -- check fixtures/recorded", "cargo test"]);
}
