//! The sessions of an agent: ids that a later process knows, modes and options.

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::protocol::Version;

/// A session of the played agent, created or attached by the client.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) cwd: String,
    pub(super) mode: String,
    pub(super) model: String,
    pub(super) style: String,
    pub(super) is_closed: bool,
}

/// Most sessions that are kept; the oldest is forgotten first.
const MOST: usize = 10_000;

const MODES: [[&str; 2]; 2] = [["ask", "Ask"], ["code", "Code"]];
const MODELS: [[&str; 2]; 2] = [["small", "Small"], ["large", "Large"]];

/// The sessions that the played agent has on one connection, by id.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    by_id: IndexMap<String, Session>,
    /// Number from which the id of the next session is made.
    next: u64,
}

impl Sessions {
    /// Starts without sessions. `seed` is a number that no other process uses; ids of sessions are
    /// made from it.
    pub(super) fn new(seed: u64) -> Self {
        Self { by_id: IndexMap::new(), next: seed }
    }

    /// Creates a session with this working directory and returns its id.
    pub(super) fn create(&mut self, cwd: &str) -> String {
        /// Step between the numbers of sessions. It is odd, so that all numbers come before one
        /// repeats.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let id = signed(self.next);
        self.next = self.next.wrapping_add(STEP);
        self.attach(&id, cwd);
        id
    }

    /// Adds a session with this id in its initial state: first mode, first model, open.
    pub(super) fn attach(&mut self, id: &str, cwd: &str) {
        if self.by_id.len() >= MOST {
            self.by_id.shift_remove_index(0);
        }
        let session = Session {
            cwd: cwd.to_owned(),
            mode: MODES[0][0].to_owned(),
            model: MODELS[0][0].to_owned(),
            style: "plain".to_owned(),
            is_closed: false,
        };
        self.by_id.insert(id.to_owned(), session);
    }

    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.by_id.get(id)
    }

    /// The session with this id; `None` where it is unknown or closed.
    pub(super) fn open(&mut self, id: &str) -> Option<&mut Session> {
        self.by_id.get_mut(id).filter(|session| !session.is_closed)
    }

    /// Id and working directory of each session.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_id.iter().map(|(id, session)| (&**id, &*session.cwd))
    }
}

impl Session {
    pub(super) fn modes(&self) -> Value {
        let modes: Vec<_> =
            MODES.iter().map(|[id, name]| json!({ "id": id, "name": name })).collect();
        json!({ "currentModeId": self.mode, "availableModes": modes })
    }

    pub(super) fn options(&self, version: Version) -> Value {
        let values: Vec<_> =
            MODELS.iter().map(|[value, name]| json!({ "value": value, "name": name })).collect();
        let id = match version {
            Version::V1 => "id",
            Version::V2 => "configId",
        };
        json!([
            {
                id: "model",
                "name": "Model",
                "category": "model",
                "type": "select",
                "currentValue": self.model,
                "options": values,
            },
            {
                id: "style",
                "name": "Style",
                "category": "_acpcheck",
                "type": "select",
                "currentValue": self.style,
                "options": [
                    { "value": "plain", "name": "Plain" },
                    { "value": "fancy", "name": "Fancy" },
                ],
            },
        ])
    }
}

/// The session id with this number, and with a checksum by which `is_own` recognizes it.
fn signed(number: u64) -> String {
    let number = format!("{number:016x}");
    format!("play-{number}-{:08x}", checksum(&number))
}

/// Whether an id was made by `acpcheck play`, in this process or another.
pub(super) fn is_own(id: &str) -> bool {
    let parts = id.strip_prefix("play-").and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(number, sum)| sum == format!("{:08x}", checksum(number)))
}

/// Ids of the three stored sessions that every agent lists.
pub(super) fn stored() -> [String; 3] {
    [1, 2, 3].map(signed)
}

/// FNV-1a hash of a text. It is equal in all processes.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
