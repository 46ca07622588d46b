//! The process of the MCP server that the scenario `mcp` gives to an agent.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    io::{self, BufRead, Write},
    path::Path,
};

use serde_json::{Value, json};

use crate::{cli::exit_status::ExitStatus, drive::mcp};

/// The hidden command name of the process that is the MCP server of a run.
pub(in crate::cli) const PART: &str = "drive-mcp";
/// Most bytes of a line that the server reads.
const LONGEST: u64 = 1 << 20;

/// The entry for `mcpServers` by which an agent starts the server. `file` is where the server notes
/// the methods that are called. `None` when the path of acpcheck is unknown.
pub(super) fn description(file: &Path) -> Option<Value> {
    let program = std::env::current_exe().ok()?;
    Some(json!({
        "name": "acpcheck", "command": program, "args": [PART, file], "env": [],
    }))
}

/// The methods that were called on the server, in order, as it has noted them in `file`. Empty when
/// it cannot be read.
pub(super) fn called(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    // A line that is still being written does not count.
    text.split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n').map(str::to_owned))
        .collect()
}

/// Runs the MCP server on standard input and output until the input ends. The argument is the
/// existing file in which to note calls.
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
