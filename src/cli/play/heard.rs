//! What the recordings of a scenario say, as they grow: how far the client came.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::Value;

use crate::cli::{open_recording, record::place};

/// Reads the recordings that the agents of a scenario are writing, to know how far the client has
/// come.
#[derive(Debug)]
pub(super) struct Heard {
    /// The path of the recording of the first agent. Those of further agents have a number.
    first: PathBuf,
    files: Vec<Growing>,
    /// When bytes were last added to a recording of the scenario, to notice a client that does
    /// nothing.
    pub(super) latest: Instant,
    pub(super) is_initialized: bool,
    pub(super) is_prompted: bool,
    /// The ids of prompts that have no answer yet.
    pub(super) open_prompts: Vec<Value>,
    /// The client's name and version; empty until it has given them in `initialize`.
    pub(super) client: String,
    /// The version of the protocol in the agent's answer to `initialize`; `None` until then.
    pub(super) version: Option<u64>,
    /// The states in which scenarios have ended, as the agents' recordings say so far.
    pub(super) states: Vec<Ended>,
}

/// The end of a scenario as an agent records it: its state and the step that decided it.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) name: String,
    pub(super) state: String,
    pub(super) step: String,
}

/// A recording that an agent is still writing, which is read while it grows.
#[derive(Debug)]
struct Growing {
    path: PathBuf,
    /// Whether the client has sent any message to this agent.
    is_spoken_to: bool,
    read: u64,
    /// The beginning of a line of the recording whose end was not written yet.
    line: Vec<u8>,
}

/// Most bytes of a line that are kept; the rest is dropped. Lines that matter here are shorter,
/// unless a client puts much into them.
const LONGEST: usize = 1 << 20;

impl Heard {
    pub(super) fn new(first: PathBuf) -> Self {
        Self {
            first,
            files: Vec::new(),
            latest: Instant::now(),
            is_initialized: false,
            is_prompted: false,
            open_prompts: Vec::new(),
            client: String::new(),
            version: None,
            states: Vec::new(),
        }
    }

    /// The recordings in which the client has sent something, in the order in which the agents were
    /// started.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let own = self.files.iter().filter(|file| file.is_spoken_to);
        own.map(|file| file.path.clone()).collect()
    }

    /// Whether the client has started an agent for the scenario.
    pub(super) fn is_begun(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether an agent of the scenario is still writing its recording.
    pub(super) fn is_open(&self) -> bool {
        self.files.iter().any(|file| open_recording::is_open_now(&file.path))
    }

    /// Reads what was added to the recordings since the last call, and finds recordings of new
    /// agents.
    pub(super) fn look(&mut self) {
        while let Some(path) = self.next_path().filter(|path| path.exists()) {
            self.files.push(Growing { path, is_spoken_to: false, read: 0, line: Vec::new() });
        }
        let mut files = std::mem::take(&mut self.files);
        for file in &mut files {
            self.read(file);
        }
        self.files = files;
    }

    /// The path of the recording that the next agent of the scenario will write; `None` when it is
    /// unknown.
    fn next_path(&self) -> Option<PathBuf> {
        let number = u32::try_from(self.files.len()).ok()? + 1;
        Some(place::numbered(&self.first, number))
    }

    fn read(&mut self, growing: &mut Growing) {
        let mut chunk = vec![0; 64 << 10];
        let Ok(mut file) = File::open(&growing.path) else { return };
        if file.seek(SeekFrom::Start(growing.read)).is_err() {
            return;
        }
        while let Ok(count @ 1..) = file.read(&mut chunk) {
            self.latest = Instant::now();
            growing.read += count as u64;
            for part in chunk[..count].split_inclusive(|byte| *byte == b'\n') {
                if growing.line.len() <= LONGEST {
                    growing.line.extend_from_slice(part);
                }
                if part.ends_with(b"\n") {
                    growing.is_spoken_to |= self.take(&growing.line);
                    growing.line.clear();
                }
            }
        }
    }

    /// Notes what a line of a recording says. Returns whether the client has sent it.
    fn take(&mut self, line: &[u8]) -> bool {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { return false };
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        if line["event"] == "scenario" {
            let (name, state, step) = (text("name"), text("state"), text("step"));
            self.states.push(Ended { name, state, step });
            return false;
        }
        let message = &line["msg"];
        if line["dir"] == "a2c" {
            let version = &message["result"]["protocolVersion"];
            self.version = self.version.or(version.as_u64());
            if message["method"].is_null() {
                self.open_prompts.retain(|id| *id != message["id"]);
            }
            return false;
        }
        match message["method"].as_str() {
            Some("initialize") => {
                self.is_initialized = true;
                let params = &message["params"];
                let info = params.get("clientInfo").or(params.get("info")).unwrap_or(&Value::Null);
                let word = |name: &str| info[name].as_str().unwrap_or_default();
                let name = format!("{} {}", word("name"), word("version"));
                name.trim().clone_into(&mut self.client);
            }
            Some("session/prompt") => {
                self.is_prompted = true;
                self.open_prompts.push(message["id"].clone());
            }
            _ => {}
        }
        line["dir"] == "c2a" && line.get("event").is_none()
    }

    /// The worst state in which a scenario ended, since several agents may have played it; `None`
    /// when no agent has recorded one.
    pub(super) fn worst(&self, name: &str) -> Option<&Ended> {
        /// The states of scenarios, from the best to the worst.
        const ORDER: [&str; 7] =
            ["done", "closed", "not offered", "not cancelled", "refused", "silent", "ended"];
        let own = self.states.iter().filter(|ended| ended.name == name);
        own.max_by_key(|ended| ORDER.iter().position(|state| *state == ended.state))
    }
}

/// The number of the agent that writes the recording at `path`. The first agent writes to `first`.
pub(super) fn number(first: &Path, path: &Path) -> u32 {
    let is_it = |number: &u32| place::numbered(first, *number) == path;
    (1..10_000).find(is_it).unwrap_or(1)
}
