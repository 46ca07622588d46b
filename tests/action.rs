//! The action for GitHub: its steps do what it says, with whatever text they are given.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");
const VERSION: &str = env!("CARGO_PKG_VERSION");
const FAULTY: &str = "plan/partial-update-proven/bad-one-entry-a-message.v1.ndjson";
const CLEAN: &str = "plan/partial-update-proven/good-whole-list-in-each-turn.v1.ndjson";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(path: &str) -> Yaml {
    let text = fs::read_to_string(root().join(path)).unwrap();
    YamlLoader::load_from_str(&text).unwrap().remove(0)
}

fn action() -> Yaml {
    yaml(".ci/action/action.yml")
}

/// A machine of GitHub's: folders, files that steps write to, and programs that stand in.
struct Runner {
    folder: TempDir,
    /// What `${{ … }}` may name.
    values: BTreeMap<String, String>,
}

/// What a step did.
#[derive(Debug)]
struct Done {
    status: i32,
    output: String,
}

impl Runner {
    fn new(inputs: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["bin", "temp", "work/some recordings"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for (from, to) in [(FAULTY, "faulty.ndjson"), (CLEAN, "clean.ndjson")] {
            let to = path("work/some recordings").join(to);
            fs::copy(root().join("fixtures").join(from), to).unwrap();
        }
        let mut values = BTreeMap::new();
        let action = action();
        for (name, input) in action["inputs"].as_hash().unwrap() {
            let default = input["default"].as_str().unwrap().to_owned();
            values.insert(format!("inputs.{}", name.as_str().unwrap()), default);
        }
        values.insert("inputs.token".to_owned(), "secret".to_owned());
        for (name, value) in inputs {
            let known = values.insert(format!("inputs.{name}"), (*value).to_owned());
            assert!(known.is_some(), "no input `{name}`");
        }
        let own = root().join(".ci/action").to_str().unwrap().to_owned();
        values.insert("github.action_path".to_owned(), own);
        values.insert("github.action_repository".to_owned(), "someone/acpcheck".to_owned());
        let runner = Self { folder, values };
        // No release, unless a test makes one; what is uploaded is kept.
        runner.program(
            "gh",
            r#"printf '%s\n' "$*" >>"$RUNNER_TEMP/gh.log"
            if [ "$1" = api ]; then cp "$RUNNER_TEMP/acpcheck-sarif.json" "$RUNNER_TEMP/request"; exit 0; fi
            [ -d "$RUNNER_TEMP/release" ] || exit 1
            while [ $# -gt 0 ]; do
                case $1 in
                --dir) dir=$2 ;;
                --pattern) cp "$RUNNER_TEMP/release/$2" "$dir" || exit 1 ;;
                esac
                shift
            done"#,
        );
        runner.program(
            "cargo",
            r#"[ "$1 $2 $3" = "install --locked --path" ] && [ -f "$4/Cargo.toml" ] || exit 9
            cp "$PROGRAM" "$6/bin/acpcheck""#,
        );
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Puts the values in place of the expressions.
    fn filled(&self, text: &str) -> String {
        let expression = Regex::new(r"\$\{\{ ([a-z_.-]+) \}\}").unwrap();
        let value = |found: &regex::Captures<'_>| self.values[&found[1]].clone();
        let filled = expression.replace_all(text, value).into_owned();
        assert!(!filled.contains("${{ "), "{filled}");
        filled
    }

    /// Runs this step as GitHub does.
    fn step(&mut self, name: &str) -> Done {
        let action = action();
        let steps = action["runs"]["steps"].as_vec().unwrap();
        let step = steps.iter().find(|step| step["name"].as_str() == Some(name)).unwrap();
        assert_eq!(step["shell"].as_str(), Some("bash"));
        let script = self.path("temp/script.sh");
        fs::write(&script, step["run"].as_str().unwrap()).unwrap();
        let mut paths: Vec<PathBuf> = self.text("temp/path").lines().map(PathBuf::from).collect();
        paths.push(self.path("bin"));
        paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail"])
            .arg(script)
            .current_dir(self.path("work"))
            .stdin(Stdio::null())
            .env("PATH", env::join_paths(paths).unwrap())
            .env("PROGRAM", PROGRAM)
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", self.path("temp"))
            .env("GITHUB_PATH", self.path("temp/path"))
            .env("GITHUB_OUTPUT", self.path("temp/output"))
            .env("GITHUB_STEP_SUMMARY", self.path("temp/summary.md"))
            .env("GITHUB_REPOSITORY", "someone/agent")
            .env("GITHUB_REF", "refs/heads/it's")
            .env("GITHUB_SHA", "0123456789012345678901234567890123456789");
        for (name, value) in step["env"].as_hash().unwrap() {
            command.env(name.as_str().unwrap(), self.filled(value.as_str().unwrap()));
        }
        let done = command.output().unwrap();
        let output =
            String::from_utf8(done.stdout).unwrap() + &String::from_utf8(done.stderr).unwrap();
        for line in self.text("temp/output").lines() {
            let (name, value) = line.split_once('=').unwrap();
            let id = step["id"].as_str().unwrap_or_default();
            self.values.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
        }
        Done { status: done.status.code().unwrap(), output }
    }

    /// A release with this program, and its checksum or a wrong one.
    fn release(&self, version: &str, program: &str, has_its_checksum: bool) {
        let name = format!("acpcheck-{version}-x86_64-unknown-linux-musl");
        let release = self.path("temp/release");
        fs::create_dir_all(release.join(&name)).unwrap();
        fs::copy(program, release.join(&name).join("acpcheck")).unwrap();
        let line = format!(
            "tar -czf {name}.tar.gz {name} && {} >SHA256SUMS",
            if has_its_checksum {
                format!("sha256sum {name}.tar.gz")
            } else {
                format!("printf '%064d  %s\\n' 0 {name}.tar.gz")
            }
        );
        let done = Command::new("sh").args(["-ec", &line]).current_dir(release).status();
        assert!(done.unwrap().success());
    }
}

#[test]
fn text_of_others_reaches_the_shell_as_variables_only() {
    for step in action()["runs"]["steps"].as_vec().unwrap() {
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{") && !script.contains("eval "), "{script}");
    }
    let workflow = yaml(".github/workflows/release.yml");
    for (_, job) in workflow["jobs"].as_hash().unwrap() {
        for step in job["steps"].as_vec().unwrap() {
            assert!(!step["run"].as_str().unwrap_or_default().contains("${{"), "{step:?}");
        }
    }
}

#[test]
fn a_check_annotates_summarizes_and_uploads() {
    let mut runner = Runner::new(&[("paths", "some recordings\n"), ("sarif", "true")]);
    let installed = runner.step("Install acpcheck");
    assert_eq!(installed.status, 0, "{installed:?}");
    let asked = runner.text("temp/gh.log");
    assert!(asked.contains(&format!("release download v{VERSION} --repo someone/acpcheck")));

    let ran = runner.step("Run acpcheck");
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.output.contains("::error file=some recordings/faulty.ndjson"), "{ran:?}");
    assert!(runner.text("temp/summary.md").contains("plan/partial-update-proven"));
    assert_eq!(runner.values["steps.run.outputs.status"], "1");

    // Without `jq` there is nothing to make the request with; GitHub's machines have it.
    if Command::new("jq").arg("--version").output().is_err() {
        return;
    }
    let uploaded = runner.step("Upload the findings");
    assert_eq!((uploaded.status, uploaded.output.as_str()), (0, ""));
    assert!(runner.text("temp/gh.log").contains("repos/someone/agent/code-scanning/sarifs"));
    let request: Value = serde_json::from_str(&runner.text("temp/request")).unwrap();
    assert_eq!(request["ref"], "refs/heads/it's");
    assert_eq!(request["commit_sha"], "0123456789012345678901234567890123456789");
    let packed = request["sarif"].as_str().unwrap();
    let packed = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, packed).unwrap();
    let mut sarif = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&*packed), &mut sarif).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn inputs_are_words_whatever_they_hold() {
    let mut runner = Runner::new(&[
        ("paths", "some recordings/clean.ndjson\n$(touch made)`touch made`; touch made\n--watch"),
        ("args", "--select\nplan\n\n--stdin-filename\n\"; touch made; \"\n"),
    ]);
    assert_eq!(runner.step("Install acpcheck").status, 0);
    let ran = runner.step("Run acpcheck");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert!(ran.output.contains("--watch"), "{ran:?}");
    assert!(!runner.path("work/made").exists());

    for (input, value) in [("command", "explain"), ("fail-on", "no-such-level")] {
        let mut runner = Runner::new(&[("paths", "some recordings"), (input, value)]);
        runner.step("Install acpcheck");
        let ran = runner.step("Run acpcheck");
        assert_eq!(ran.status, 2, "{ran:?}");
    }
    for version in ["1", "1.2.3; touch made", "../1.2.3", "1.2.3\n4.5.6"] {
        let mut runner = Runner::new(&[("version", version)]);
        let installed = runner.step("Install acpcheck");
        assert_eq!(installed.status, 1, "{version}: {installed:?}");
        assert!(installed.output.starts_with("::error title=acpcheck::"), "{installed:?}");
        assert!(!runner.path("work/made").exists());
    }
}

#[test]
fn agents_and_clients_are_started_with_their_words() {
    for (command, input, words, told) in [
        ("drive", "agent", "my agent\n--acp\n", "<my agent><--acp>"),
        ("play", "client", "my client\n{agent}\n{prompt}\n", "<my client><{agent}><{prompt}>"),
    ] {
        let mut runner = Runner::new(&[
            ("command", command),
            (input, words),
            ("args", "--timeout\n5"),
            ("fail-on", "warning"),
            ("profile", "strict"),
        ]);
        runner.step("Install acpcheck");
        runner.program("acpcheck", r#"printf '<%s>' "$@""#);
        let installed = runner.text("temp/path");
        fs::remove_file(Path::new(installed.trim()).join("acpcheck")).unwrap();
        let ran = runner.step("Run acpcheck");
        let temp = runner.path("temp");
        let temp = temp.display();
        assert_eq!(
            ran.output,
            format!(
                "<{command}><--fail-on=warning><--report=github>\
                 <--report=markdown={temp}/summary.md><--report=sarif={temp}/acpcheck.sarif>\
                 <--profile=strict><--timeout><5><-->{told}"
            )
        );
    }
    let mut runner = Runner::new(&[("command", "play")]);
    runner.step("Install acpcheck");
    let ran = runner.step("Run acpcheck");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.output.contains("The input client is empty."), "{ran:?}");
}

#[test]
fn policies_are_a_profile() {
    let name = "permission/always-granted/bad-command.v1.ndjson";
    for (profile, status) in [("", 0), ("audit", 1)] {
        let inputs = [("paths", "asked.ndjson"), ("fail-on", "info"), ("profile", profile)];
        let mut runner = Runner::new(&inputs);
        fs::copy(root().join("fixtures").join(name), runner.path("work/asked.ndjson")).unwrap();
        runner.step("Install acpcheck");
        let ran = runner.step("Run acpcheck");
        assert_eq!(ran.status, status, "{ran:?}");
        let summary = runner.text("temp/summary.md");
        assert_eq!(summary.contains("permission/always-granted"), status == 1, "{summary}");
    }
}

/// Of a member that is there twice, one value is judged.
#[test]
fn what_cannot_be_judged_fails_the_step() {
    let clean = fs::read_to_string(root().join("fixtures").join(CLEAN)).unwrap();
    let twice =
        clean.replacen(r#""status":"pending""#, r#""status":"failed","status":"pending""#, 1);
    assert_ne!(twice, clean);
    for (fail_on, status) in [(None, 1), (Some("error,unjudged"), 1), (Some("error"), 0)] {
        let mut inputs = vec![("paths", "twice.ndjson")];
        inputs.extend(fail_on.map(|level| ("fail-on", level)));
        let mut runner = Runner::new(&inputs);
        fs::write(runner.path("work/twice.ndjson"), &twice).unwrap();
        assert_eq!(runner.step("Install acpcheck").status, 0);
        let ran = runner.step("Run acpcheck");
        assert_eq!(ran.status, status, "{fail_on:?}: {ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn changes_of_a_release_stand_in_the_summary() {
    let paths = "last release\nsome recordings\n";
    let mut runner = Runner::new(&[("command", "diff"), ("paths", paths)]);
    let last = runner.path("work/last release");
    fs::create_dir_all(&last).unwrap();
    let text = runner.text("work/some recordings/faulty.ndjson");
    let text = text.replacen(r#"{"resume":{}}"#, r#"{"list":{},"resume":{}}"#, 1);
    fs::write(last.join("faulty.ndjson"), text).unwrap();
    assert_eq!(runner.step("Install acpcheck").status, 0);
    let ran = runner.step("Run acpcheck");
    assert_eq!(ran.status, 1, "{ran:?}");
    let summary = runner.text("temp/summary.md");
    assert!(
        summary.contains("`sessionCapabilities.list` is gone") && ran.output.contains(&summary)
    );
    assert_eq!(runner.values["steps.run.outputs.status"], "1");
}

#[test]
fn a_release_is_installed_if_its_checksum_is_right() {
    let mut runner = Runner::new(&[("version", "9.8.7")]);
    runner.release("9.8.7", "/bin/echo", true);
    let installed = runner.step("Install acpcheck");
    assert_eq!(installed.status, 0, "{installed:?}");
    let bin = runner.text("temp/path");
    let done = Command::new(Path::new(bin.trim()).join("acpcheck")).arg("it").output().unwrap();
    assert_eq!(done.stdout, b"it\n");

    let mut runner = Runner::new(&[("version", "9.8.7")]);
    runner.release("9.8.7", "/bin/echo", false);
    let installed = runner.step("Install acpcheck");
    assert_eq!(installed.status, 1, "{installed:?}");
    assert!(installed.output.contains("checksum") && runner.text("temp/path").is_empty());

    // Another version than that of the source cannot be built from it.
    let mut runner = Runner::new(&[("version", "9.8.7")]);
    let installed = runner.step("Install acpcheck");
    assert_eq!(installed.status, 1, "{installed:?}");
    assert!(installed.output.contains("There is no release of acpcheck 9.8.7"));
}

#[test]
fn the_workflow_and_the_action_know_the_targets_of_the_packages() {
    let script = fs::read_to_string(root().join(".ci/packages")).unwrap();
    let (_, table) = script.split_once("\nTARGETS = {\n").unwrap();
    let (table, _) = table.split_once("\n}").unwrap();
    let targets: Vec<_> = table.lines().map(|line| line.split('"').nth(1).unwrap()).collect();
    let workflow = yaml(".github/workflows/release.yml");
    let built = workflow["jobs"]["packages"]["strategy"]["matrix"]["include"].as_vec().unwrap();
    let built: Vec<_> = built.iter().map(|entry| entry["target"].as_str().unwrap()).collect();
    assert_eq!(built, targets);
    let install = action();
    let install = install["runs"]["steps"][0]["run"].as_str().unwrap();
    assert!(targets.len() > 3 && targets.iter().all(|target| install.contains(target)));
}
