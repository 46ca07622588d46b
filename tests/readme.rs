//! The README and the pages beside the code say what is so: their commands run, the output that they
//! show is real, their tables are those of the program.
//!
//! Where they do not, they are put right and the test fails once: read the difference, and run the
//! tests again.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use acpcheck::{
    report::{self, rules},
    rules::{CATALOGUE, FAMILIES},
    transcript::{FORMATS, Read},
};

/// The pages for people, beside the code that they are about.
const PAGES: [&str; 4] =
    ["README.md", "src/report/README.md", "src/rules/README.md", "src/transcript/README.md"];

fn path(page: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(page)
}

fn read(page: &str) -> String {
    fs::read_to_string(path(page)).unwrap()
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

/// The families of rules as a table.
fn families() -> String {
    let rows: String = FAMILIES
        .iter()
        .map(|(family, about)| {
            let count = CATALOGUE.iter().filter(|rule| rule.family() == *family).count();
            format!("| `{family}` | {count} | {about} |\n")
        })
        .collect();
    format!("| Family | Rules | What it is about |\n| --- | --- | --- |\n{rows}")
}

/// The formats of reports as a table.
fn outputs() -> String {
    let rows: String = report::FORMATS
        .iter()
        .map(|format| format!("| `{}` | {} |\n", format.name, format.about))
        .collect();
    format!("| Format | For |\n| --- | --- |\n{rows}")
}

/// The table that stands behind such a line.
fn table(line: &str) -> Option<String> {
    let (subject, _) = line.strip_prefix("<!-- ")?.split_once(": written by tests/readme.rs")?;
    Some(match subject {
        "families" => families(),
        "formats" => formats(),
        "outputs" => outputs(),
        "rules" => rules::markdown(),
        _ => panic!("no table of {subject}"),
    })
}

/// The page as it should be.
fn corrected(page: &str) -> String {
    let mut out = String::new();
    let mut is_table = false;
    for (block, line) in lines(page) {
        is_table &= !line.starts_with("<!-- end of ");
        // Output is written anew behind its command.
        if !is_table && (block != Block::Console || line.starts_with("$ ")) {
            out.push_str(line);
            out.push('\n');
        }
        if let Some(table) = table(line) {
            is_table = true;
            out.push_str(&["\n", &table, "\n"].concat());
        } else if let (Block::Console, Some(command)) = (block, line.strip_prefix("$ ")) {
            out.push_str(&run(command).0);
        }
    }
    out
}

#[test]
fn what_they_show_is_so() {
    let mut outdated = Vec::new();
    for page in PAGES {
        let text = read(page);
        let corrected = corrected(&text);
        if text != corrected {
            fs::write(path(page), corrected).unwrap();
            outdated.push(page);
        }
    }
    assert!(outdated.is_empty(), "rewritten, read the difference: {outdated:?}");
}

/// A command of a page, and the status that it ends with.
fn command(line: &str) -> (&str, i32) {
    match line.split_once(" # exits with ") {
        Some((command, status)) => (command, status.parse().unwrap()),
        None => (line, 0),
    }
}

#[test]
fn their_commands_run() {
    let mut count = 0;
    for page in PAGES {
        let text = read(page);
        for (_, line) in lines(&text).into_iter().filter(|(block, _)| *block == Block::Shell) {
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
            let (command, expected) = command(line);
            let command = command.replace("cargo run -- ", "acpcheck ");
            assert!(command.contains("acpcheck "), "what is `{line}`?");
            let (output, status) = run(&command);
            assert_eq!(status, expected, "$ {command}\n{output}");
            count += 1;
        }
    }
    assert!(count > 15);
}

#[test]
fn the_readme_is_short() {
    assert!(read("README.md").len() < 16_000);
}

#[test]
fn the_readme_names_every_output() {
    let readme = read("README.md");
    let (_, outputs) = readme.split_once("\n## Outputs\n").unwrap();
    let (outputs, _) = outputs.split_once("\n## ").unwrap();
    for format in report::FORMATS {
        assert!(outputs.contains(&format!("`{format}`")), "`{format}`");
    }
}

#[test]
fn links_lead_to_files() {
    for page in PAGES {
        let text = read(page);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (target, _) in targets.filter(|(target, _)| !target.starts_with("https:")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = path(page).parent().unwrap().join(file);
            let linked = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{page}: {target}"));
            let anchors = linked
                .lines()
                .filter(|line| line.starts_with("## "))
                .map(|line| line[3..].to_lowercase().replace(' ', "-").replace(',', ""));
            assert!(anchor.is_empty() || anchors.into_iter().any(|it| it == anchor), "{target}");
        }
    }
}

#[test]
fn it_begins_with_two_commands_that_need_only_a_clone() {
    let readme = read("README.md");
    let commands: Vec<_> =
        lines(&readme).into_iter().filter(|(block, _)| *block == Block::Shell).take(2).collect();
    let commands: Vec<_> = commands.iter().map(|(_, line)| *line).collect();
    assert!(commands[0].starts_with("cargo run -- check fixtures/plan/"));
    assert_eq!(commands[1], "cargo test");
}
