//! What the README tells people to paste into their tools: it parses, what it runs runs, and the
//! files that it names are there afterwards.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use acpcheck::rules;
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

const FAULTY: &str = "plan/partial-update-proven/bad-one-entry-a-message.v1.ndjson";
const CLEAN: &str = "plan/partial-update-proven/good-whole-list-in-each-turn.v1.ndjson";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The blocks of this language in the README and in the page about reports.
fn blocks(language: &str) -> Vec<String> {
    let pages = ["README.md", "src/report/README.md"];
    let pages = pages.map(|page| fs::read_to_string(root().join(page)).unwrap());
    let readme = pages.concat();
    let mut blocks: Vec<String> = Vec::new();
    let mut is_inside = false;
    for line in readme.lines() {
        if let Some(opened) = line.strip_prefix("```") {
            is_inside = !is_inside && opened == language;
            if is_inside {
                blocks.push(String::new());
            }
        } else if is_inside {
            *blocks.last_mut().unwrap() += &[line, "\n"].concat();
        }
    }
    blocks
}

fn yaml(text: &str) -> Yaml {
    let mut documents =
        YamlLoader::load_from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(documents.len(), 1, "{text}");
    documents.remove(0)
}

/// The values of these keys, wherever they are.
fn values<'y>(yaml: &'y Yaml, keys: &[&str], found: &mut Vec<&'y str>) {
    match yaml {
        Yaml::Hash(members) => {
            for (key, value) in members {
                if keys.contains(&key.as_str().unwrap_or_default()) {
                    found.extend(value.as_str());
                    found.extend(value.as_vec().into_iter().flatten().filter_map(Yaml::as_str));
                }
                values(value, keys, found);
            }
        }
        Yaml::Array(elements) => elements.iter().for_each(|element| values(element, keys, found)),
        _ => {}
    }
}

/// A project with recordings, and a `reviewdog` that keeps what it is given.
struct Project(TempDir);

impl Project {
    fn new(recordings: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("recordings")).unwrap();
        fs::create_dir_all(folder.path().join("bin")).unwrap();
        for recording in recordings {
            let name = Path::new(recording).file_name().unwrap();
            let from = root().join("fixtures").join(recording);
            fs::copy(from, folder.path().join("recordings").join(name)).unwrap();
        }
        let reviewdog = folder.path().join("bin/reviewdog");
        fs::write(&reviewdog, "#!/bin/sh\ncat > reviewdog.json\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&reviewdog, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    /// Runs a line as a CI server does that has the program.
    fn run(&self, line: &str) -> (String, i32) {
        let program = Path::new(env!("CARGO_BIN_EXE_acpcheck")).parent().unwrap();
        let mut paths = vec![self.0.path().join("bin"), program.to_owned()];
        paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let output = Command::new("sh")
            .args(["-ec", line])
            .current_dir(self.0.path())
            .env("PATH", env::join_paths(paths).unwrap())
            .env("GITHUB_STEP_SUMMARY", self.0.path().join("summary.md"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

#[test]
fn workflows_run_and_leave_the_reports_that_they_name() {
    let mut count = 0;
    for block in blocks("yaml") {
        let document = yaml(&block);
        let (mut commands, mut reports) = (Vec::new(), Vec::new());
        values(&document, &["run", "script"], &mut commands);
        values(&document, &["sarif_file", "codequality", "junit"], &mut reports);
        let project = Project::new(&[FAULTY, CLEAN]);
        for command in commands {
            if command.starts_with("cargo install ") {
                assert!(command.ends_with(" acpcheck"), "{command}");
                continue;
            }
            let (output, status) = project.run(command);
            let expected = i32::from(!command.contains("--fail-on never"));
            assert_eq!(status, expected, "{command}\n{output}");
            if command.contains("--report github") {
                assert!(output.contains("::error file=recordings/"), "{output}");
            }
            if command.contains("GITHUB_STEP_SUMMARY") {
                assert!(project.text("summary.md").contains("plan/partial-update-proven"));
            }
            if command.contains("reviewdog") {
                let given: Value = serde_json::from_str(&project.text("reviewdog.json")).unwrap();
                assert_eq!(given["diagnostics"].as_array().unwrap().len(), 1);
            }
            count += 1;
        }
        for report in reports {
            assert!(project.text(report).contains("plan/partial-update-proven"), "{report}");
        }
    }
    assert_eq!(count, 3);
}

#[test]
fn the_hook_is_as_the_readme_says() {
    let hooks = yaml(&fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap());
    let (hook, blocks) = (&hooks[0], blocks("yaml"));
    let block = blocks.iter().find(|block| block.contains("hooks:")).unwrap();
    let wanted = &yaml(block)["repos"][0]["hooks"][0];
    assert_eq!(wanted["id"], hook["id"]);
    let chosen = Regex::new(wanted["files"].as_str().unwrap()).unwrap();
    assert!(chosen.is_match("recordings/a.ndjson") && !chosen.is_match("data/a.ndjson"));

    let files = Regex::new(hook["files"].as_str().unwrap()).unwrap();
    for name in
        ["a.ndjson", "b/c.jsonl", "a.jsons", "x.traffic", "h.hydra", "a.jsonl.1", "a.jsonl.2.gz"]
    {
        assert!(files.is_match(name), "{name}");
    }
    for name in ["a.json", "a.log", "a.ndjson.md", "ndjson", "a.gz"] {
        assert!(!files.is_match(name), "{name}");
    }

    let project = Project::new(&[FAULTY, CLEAN]);
    let entry = hook["entry"].as_str().unwrap();
    let run = |recording: &str| {
        let name = Path::new(recording).file_name().unwrap().to_str().unwrap();
        project.run(&format!("{entry} recordings/{name}"))
    };
    assert_eq!(run(CLEAN), (String::new(), 0));
    let (output, status) = run(FAULTY);
    assert!(output.starts_with("recordings/bad-one-entry-a-message.v1.ndjson:7:118: error["));
    assert_eq!(status, 1);
}

#[test]
fn problem_matchers_read_what_is_written() {
    let task = blocks("json").iter().find_map(|block| {
        let document: Value = serde_json::from_str(block).unwrap();
        document.get("tasks").map(|tasks| tasks[0].clone())
    });
    let task = task.unwrap();
    let pattern = &task["problemMatcher"]["pattern"];
    let matcher = fs::read_to_string(root().join(".ci/problem-matcher.json")).unwrap();
    let matcher: Value = serde_json::from_str(&matcher).unwrap();
    assert_eq!(matcher["problemMatcher"][0]["pattern"][0], *pattern);

    let project = Project::new(&[FAULTY]);
    let (output, _) = project.run(task["command"].as_str().unwrap());
    let regex = Regex::new(pattern["regexp"].as_str().unwrap()).unwrap();
    let lines: Vec<_> = output.lines().filter_map(|line| regex.captures(line)).collect();
    assert_eq!(lines.len(), 1, "{output}");
    let part = |name: &str| {
        lines[0].get(usize::try_from(pattern[name].as_u64().unwrap()).unwrap()).unwrap().as_str()
    };
    assert!(project.0.path().join(part("file")).is_file());
    assert_eq!((part("line"), part("column"), part("severity")), ("7", "118", "error"));
    assert!(rules::find(part("code")).is_some());
    assert_eq!(
        part("message"),
        "agent: `Inspect` is missing from this plan update but is updated again later"
    );
}
