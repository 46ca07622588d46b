//! Plays the agent's part for a live client, so that there is something to check.
//!
//! A [`Scenario`] is what happens in one turn. It speaks through a [`Script`], which knows the protocol's
//! messages. The [`Agent`] answers everything else that the client asks, and starts a scenario for each
//! prompt. What the two sides say goes over a [`Wire`], which is elsewhere: nothing here reads standard
//! input, opens a file or prints. Each line is judged before it is answered, so that the agent refuses what
//! a rule calls an error. A scenario has no opinion: it ends in a [`State`], which says how far it came.
//!
//! ```text
//! client ─▶ Link::hear (judges) ─▶ Agent::take ─▶ Script ─▶ Scenario
//!    ◀───── Wire ◀─── Link::send (judges) ◀──────────┘
//! ```

use std::time::Duration;

mod agent;
mod judge;
mod link;
mod menu;
mod playback;
mod refusal;
mod scenarios;
mod script;
mod sessions;

pub use agent::Agent;
pub use judge::Found;
pub use link::{Heard, Link, Summary, Wire};
pub use menu::{Face, Menu};
pub use playback::{PLAYBACK, Playback, Recorded};
pub use scenarios::SCENARIOS;
pub use script::Script;

use crate::protocol::Version;

/// Plays a step of a scenario's turn and returns how it went; `Err` when the scenario is broken
/// off.
pub type Move = fn(&mut Script) -> Result<State, Stop>;

/// A test that acpcheck's own agent plays against a client in one turn.
#[derive(Debug)]
pub struct Scenario {
    /// Word by which users select the scenario; in the chat of the client, `/name`.
    pub name: &'static str,
    /// What the agent does, in one line without a full stop.
    pub summary: &'static str,
    /// What the person in front of the client should see or do: sentences.
    pub look: &'static str,
    /// The only version of the protocol that has what the scenario is about; `None` for both.
    pub version: Option<Version>,
    /// Path of the client's capability that the scenario needs: on version 1 (index 0) and on
    /// version 2 (index 1). Of several, separated by `, `, one is enough. Empty where that version needs
    /// none.
    pub gate: [&'static str; 2],
    /// Whether the scenario needs a turn to itself, because it ends the turn in its own way or
    /// waits for the user.
    pub is_alone: bool,
    /// Plays the scenario in a turn, up to the turn's end.
    pub play: Move,
    /// Plays what follows the end of the turn; `None` when the scenario ends with the turn.
    pub after: Option<Move>,
}

impl Scenario {
    /// Defaults for the definitions of scenarios: every client, both versions, and nothing played.
    pub(crate) const DEFAULT: Self = Self {
        name: "",
        summary: "",
        look: "",
        version: None,
        gate: ["", ""],
        is_alone: false,
        play: |_| Ok(State::Done),
        after: None,
    };
}

/// How a scenario ended that was played and not broken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The scenario was played to its end, and the client answered every step.
    Done,
    /// The user denied a permission, or an error left nothing to play. The text says which: a
    /// sentence without a full stop.
    Refused(String),
    /// The client does not advertise the capability that the scenario needs. The text is its path,
    /// or the needed version.
    NotOffered(String),
    /// The scenario waited for the user to stop the turn, but the user did not.
    NotCancelled,
}

/// Why a scenario was broken off, so that it has no `State`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The client did not answer a request in time, or not do in time what the scenario waits for.
    Silent,
    /// The client has closed the connection.
    Ended,
    /// The user stopped the turn of a scenario that is not about that.
    Cancelled,
}

/// Result of a scenario, for the chat, the recording and the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub name: &'static str,
    /// How the scenario ended: `done`, `silent`, `ended`, `refused`, `not offered`, `not cancelled`
    /// or `closed`.
    pub state: &'static str,
    /// The step that was not done, or the reason; empty where there is nothing to add.
    pub step: String,
}

/// Options of `acpcheck play`: how its agent behaves on one connection.
#[derive(Clone, Debug)]
pub struct PlayOptions {
    /// Newest protocol version that the played agent agrees to in `initialize`.
    pub newest: Version,
    pub menu: Menu,
    /// Longest time for an answer that the client gives without its user.
    pub timeout: Duration,
    /// Longest time that an answer may take that a person has to give, such as a permission.
    pub patience: Duration,
    /// Longest time that the user may take to stop a turn, in scenarios about that.
    pub stop_within: Duration,
    /// Directory for listed sessions where `session/list` names no `cwd`: an absolute path.
    pub cwd: String,
    /// Number from which the ids of sessions are made; no other process uses it.
    pub seed: u64,
    /// Path of the recording that is made, for texts; `None` where none is.
    pub recording: Option<String>,
    /// A recording whose agent side is played instead of scenarios; `None` to play scenarios.
    pub playback: Option<Recorded>,
}

/// The scenario with this name; `None` where there is none.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().copied().find(|scenario| scenario.name == name)
}
