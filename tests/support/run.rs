//! Runs of the program: the folders for them, and what comes out.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use super::effort;

/// What a run has written, and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The exit status; -1 where a signal ended the run.
    pub(crate) status: i32,
}

impl Run {
    /// Waits for the end of a run that was started.
    pub(crate) fn of(child: Child) -> Self {
        Self::ended(child.wait_with_output().unwrap())
    }

    pub(crate) fn ended(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code().unwrap_or(-1),
        }
    }
}

/// The fixtures that tests of whole outputs read, from the top of the repository: some families by
/// default, those of plans among them, and all where everything is tried.
pub(crate) fn fixtures() -> &'static [&'static str] {
    if effort::is_thorough() {
        &["fixtures"]
    } else {
        &[
            "fixtures/formats",
            "fixtures/permission",
            "fixtures/plan",
            "fixtures/recorded",
            "fixtures/transport",
        ]
    }
}

/// The program in a folder, where nothing of the environment decides about its output.
pub(crate) fn acpcheck(folder: &Path) -> Command {
    effort::note_check();
    let mut command = Command::new(env!("CARGO_BIN_EXE_acpcheck"));
    command.current_dir(folder).env_remove("NO_COLOR").env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// Starts the program with pipes for its standard streams.
pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = acpcheck(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs the program in a folder; `input` is its standard input.
pub(crate) fn run(folder: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let mut child = start(folder, arguments);
    child.stdin.take().unwrap().write_all(input).unwrap();
    Run::of(child)
}

/// A title update of a session. It breaks `schema/params` where the title is no text.
pub(crate) fn title(session: &str, title: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{{"sessionUpdate":"session_info_update","title":{title}}}}}}}"#
    ) + "\n"
}

/// A temporary folder with these files. Folders of their paths are made.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Asserts that a document keeps to a JSON schema.
#[track_caller]
pub(crate) fn assert_valid(schema: &Value, document: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<_> = validator
        .iter_errors(document)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0]);
}
