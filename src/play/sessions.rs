//! The sessions of an agent: ids that a later process knows, modes and options.

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::protocol::Version;

/// A session that the client has created or attached.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) cwd: String,
    pub(super) mode: String,
    pub(super) model: String,
    pub(super) style: String,
    pub(super) is_closed: bool,
}

/// The most sessions that are kept.
const MOST: usize = 10_000;

const MODES: [[&str; 2]; 2] = [["ask", "Ask"], ["code", "Code"]];
const MODELS: [[&str; 2]; 2] = [["small", "Small"], ["large", "Large"]];

/// The sessions by id.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    by_id: IndexMap<String, Session>,
    /// The number of the next session.
    next: u64,
}

impl Sessions {
    /// No sessions so far. `seed`: a number that no other process has.
    pub(super) fn new(seed: u64) -> Self {
        Self { by_id: IndexMap::new(), next: seed }
    }

    /// Creates a session.
    pub(super) fn create(&mut self, cwd: &str) -> String {
        /// An odd number: all numbers come before one comes again, and neighbours are far apart.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let id = signed(self.next);
        self.next = self.next.wrapping_add(STEP);
        self.attach(&id, cwd);
        id
    }

    /// Attaches a session.
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

    /// A session that is open.
    pub(super) fn open(&mut self, id: &str) -> Option<&mut Session> {
        self.by_id.get_mut(id).filter(|session| !session.is_closed)
    }

    /// The ids and folders of the sessions.
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

/// The id with this number and its checksum.
fn signed(number: u64) -> String {
    let number = format!("{number:016x}");
    format!("play-{number}-{:08x}", checksum(&number))
}

/// Whether an agent of this program has made an id.
pub(super) fn is_own(id: &str) -> bool {
    let parts = id.strip_prefix("play-").and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(number, sum)| sum == format!("{:08x}", checksum(number)))
}

/// The ids of the stored sessions that every agent lists.
pub(super) fn stored() -> [String; 3] {
    [1, 2, 3].map(signed)
}

/// FNV-1a, which is the same in each process.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
