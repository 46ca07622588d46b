//! What the recordings of a scenario say, as they grow: how far the client came.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::Value;

use crate::cli::{open_recording, record::place};

/// The recordings that the agents of a scenario write.
#[derive(Debug)]
pub(super) struct Heard {
    /// The file of the first one.
    first: PathBuf,
    files: Vec<Growing>,
    /// When something came last.
    pub(super) latest: Instant,
    pub(super) is_initialized: bool,
    pub(super) is_prompted: bool,
    /// The prompts without an answer, by their ids.
    pub(super) open_prompts: Vec<Value>,
    /// The client's name and version; empty as long as it has not told them.
    pub(super) client: String,
    /// The version of the protocol that the agent has answered.
    pub(super) version: Option<u64>,
    /// How scenarios ended.
    pub(super) states: Vec<Ended>,
}

/// How a scenario ended, as a recording says.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) name: String,
    pub(super) state: String,
    pub(super) step: String,
}

/// A recording that grows.
#[derive(Debug)]
struct Growing {
    path: PathBuf,
    /// Whether the client has said something.
    is_spoken_to: bool,
    read: u64,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
}

/// The longest line that is looked into, in bytes. No line that matters here is longer, but for those of
/// clients that put much into them.
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

    /// The files in which the client says something, in the order in which the agents were started.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let own = self.files.iter().filter(|file| file.is_spoken_to);
        own.map(|file| file.path.clone()).collect()
    }

    /// Whether an agent was started.
    pub(super) fn is_begun(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether an agent still writes its recording.
    pub(super) fn is_open(&self) -> bool {
        self.files.iter().any(|file| open_recording::is_open_now(&file.path))
    }

    /// Reads what is new.
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

    /// The file of an agent that is started next.
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

    /// Takes a line. Returns whether the client says it.
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

    /// How the scenario ended: the worst of its states where several agents have played it; `None` where
    /// none has one.
    pub(super) fn worst(&self, name: &str) -> Option<&Ended> {
        /// From the best to the worst.
        const ORDER: [&str; 7] =
            ["done", "closed", "not offered", "not cancelled", "refused", "silent", "ended"];
        let own = self.states.iter().filter(|ended| ended.name == name);
        own.max_by_key(|ended| ORDER.iter().position(|state| *state == ended.state))
    }
}

/// The number of the agent that writes this file: 1 is the one whose file is `first`.
pub(super) fn number(first: &Path, path: &Path) -> u32 {
    let is_it = |number: &u32| place::numbered(first, *number) == path;
    (1..10_000).find(is_it).unwrap_or(1)
}
