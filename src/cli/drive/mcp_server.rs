//! The process of the MCP server that the scenario `mcp` gives to an agent.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    io::{self, BufRead, Write},
    path::Path,
};

use serde_json::{Value, json};

use crate::{cli::exit_status::ExitStatus, drive::mcp};

/// What the process is called.
pub(in crate::cli) const PART: &str = "drive-mcp";
/// The longest line that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// How an agent starts the server, as the protocol describes a server over standard input and output.
/// `file`: where the server notes what it is asked for.
pub(super) fn description(file: &Path) -> Option<Value> {
    let program = std::env::current_exe().ok()?;
    Some(json!({
        "name": "acpcheck", "command": program, "args": [PART, file], "env": [],
    }))
}

/// The methods that the agent has called, in order.
pub(super) fn called(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    // A line that is still being written does not count.
    text.split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n').map(str::to_owned))
        .collect()
}

/// Serves on standard input and output until the input ends. The file is there already.
pub(in crate::cli) fn run(arguments: &[OsString]) -> ExitStatus {
    let [file] = arguments else { return ExitStatus::Failed };
    match serve(file) {
        Ok(()) => ExitStatus::Clean,
        Err(_) => ExitStatus::Failed,
    }
}

fn serve(file: &OsStr) -> io::Result<()> {
    let mut file: File = OpenOptions::new().append(true).open(file)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = io::Read::take(&mut input, LONGEST).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(());
        }
        let Some(served) = mcp::serve(&String::from_utf8_lossy(&line)) else { continue };
        let method: String = served.method.chars().filter(|it| !it.is_control()).take(64).collect();
        file.write_all(format!("{method}\n").as_bytes())?;
        if let Some(answer) = served.answer {
            output.write_all(format!("{answer}\n").as_bytes())?;
            output.flush()?;
        }
    }
}
