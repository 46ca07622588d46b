//! What acpcheck brings along for shells: completions and the manual.

use std::{fs, path::Path, process::Command};

use acpcheck::rules::CATALOGUE;
use tempfile::TempDir;

use super::run::{Run, run};

const COMMANDS: [&str; 11] = [
    "audit",
    "check",
    "completions",
    "explain",
    "formats",
    "help",
    "man",
    "plans",
    "report",
    "requirements",
    "rules",
];

fn acpcheck(arguments: &[&str]) -> (String, String, i32) {
    let Run { stdout, stderr, status } = run(Path::new("."), arguments, b"");
    (stdout, stderr, status)
}

/// The options that the help of a command names.
fn options(command: &str) -> Vec<String> {
    let (help, _, _) = acpcheck(&[command, "-h"]);
    let option = |line: &str| {
        let (_, option) = line.trim_start().split_once("--")?;
        let is_entry = line.trim_start().starts_with('-');
        let end = option.find(|c: char| !c.is_ascii_lowercase() && c != '-');
        is_entry.then(|| option[..end.unwrap_or(option.len())].to_owned())
    };
    help.lines().filter_map(option).collect()
}

#[test]
fn every_shell_is_told_of_every_option() {
    let options = options("check");
    assert!(options.len() > 20, "{options:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (script, stderr, status) = acpcheck(&["completions", shell]);
        assert_eq!((stderr.as_str(), status), ("", 0), "{shell}");
        for option in &options {
            assert!(script.contains(option.as_str()), "{shell}: {option}");
        }
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
        assert_eq!(acpcheck(&["completions", shell]).0, script);
    }
    let (_, stderr, status) = acpcheck(&["completions", "csh"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("powershell"), "{stderr}");
}

/// What bash offers in place of the last word, if there is a bash.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("acpcheck");
    fs::write(&script, acpcheck(&["completions", "bash"]).0).unwrap();
    let (last, before) = words.split_last().unwrap();
    let program = r#"
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _acpcheck "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", program, "bash"]).arg(&script).args(before).arg(last);
    let output = match bash.current_dir(folder.path()).output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("{error}"),
    };
    let offered = String::from_utf8(output.stdout).unwrap();
    Some(offered.lines().filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_their_values() {
    for (words, expected) in [
        (&["acpcheck", "expl"][..], &["explain"][..]),
        (&["acpcheck", "check", "--write-b"], &["--write-baseline"]),
        (&["acpcheck", "check", "--format", "ht"], &["html"]),
        (&["acpcheck", "check", "--report", "sar"], &["sarif"]),
        (&["acpcheck", "check", "--profile", "re"], &["registry"]),
        (&["acpcheck", "check", "--select", "tool-call"], &["tool-call"]),
        (&["acpcheck", "plans", "--input-format", "acp-insp"], &["acp-inspector"]),
        (&["acpcheck", "completions", "el"], &["elvish"]),
    ] {
        let Some(offered) = offered(words) else { return };
        assert!(expected.iter().all(|word| offered.iter().any(|it| it == word)), "{words:?}");
        let last = words.last().unwrap();
        assert!(offered.iter().all(|word| word.starts_with(last)), "{words:?}: {offered:?}");
    }
    let offered = offered(&["acpcheck", "explain", "plan/"]).unwrap_or_default();
    let plans = CATALOGUE.iter().filter(|rule| rule.family() == "plan").map(|rule| rule.id);
    let mut plans: Vec<_> = plans.collect();
    plans.sort_unstable();
    assert!(offered.is_empty() || offered == plans, "{offered:?}");
}

#[test]
fn every_command_has_a_page_with_all_of_its_options() {
    for command in COMMANDS {
        let (page, stderr, status) = acpcheck(&["man", command]);
        assert_eq!((stderr.as_str(), status), ("", 0), "{command}");
        let title = format!(".TH acpcheck-{command} 1 ");
        assert!(page.contains(&title.replace('-', "\\-")) || page.contains(&title), "{page}");
        for option in options(command) {
            let option = option.replace('-', "\\-");
            assert!(page.contains(&format!("\\-\\-{option}")), "{command}: {option}");
        }
    }
    let (page, _, _) = acpcheck(&["man"]);
    assert!(COMMANDS.iter().all(|command| page.contains(&format!("acpcheck\\-{command}(1)"))));
    let (_, stderr, status) = acpcheck(&["man", "chek"]);
    assert_eq!(stderr, "error: `chek` is not a command; did you mean `check`?\n");
    assert_eq!(status, 2);
}
