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

/// Plays a part of a turn. Returns how it went.
pub type Move = fn(&mut Script) -> Result<State, Stop>;

/// What an agent does in one turn.
#[derive(Debug)]
pub struct Scenario {
    /// How users select it: in the client, `/name`.
    pub name: &'static str,
    /// What the agent does, in one line without a full stop.
    pub summary: &'static str,
    /// What the person in front of the client should see or do: sentences.
    pub look: &'static str,
    /// The only version of the protocol that has what the scenario is about; `None` for both.
    pub version: Option<Version>,
    /// The capability of the client that it needs: its path on version 1, and on version 2; empty where the
    /// version needs none.
    pub gate: [&'static str; 2],
    /// Whether it needs a turn of its own: it ends the turn in its own way, or waits for the user.
    pub is_alone: bool,
    /// Plays it, up to the end of the turn.
    pub play: Move,
    /// Plays what comes when the turn has ended.
    pub after: Option<Move>,
}

impl Scenario {
    /// A scenario for every client and both versions.
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

/// How a scenario ended when the client did its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It was played to its end, and each step was answered.
    Done,
    /// A permission was denied, or an error leaves nothing to play: a sentence without a full stop.
    Refused(String),
    /// The client does not advertise what the scenario is about: the name of the capability.
    NotOffered(String),
    /// The user has not stopped the turn.
    NotCancelled,
}

/// Why a scenario could not be played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A step was not answered in time.
    Silent,
    /// The client has closed the connection.
    Ended,
    /// The user has stopped the turn.
    Cancelled,
}

/// How a scenario went, as it is told and recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub name: &'static str,
    /// `done`, `silent`, `ended`, `refused`, `not offered`, `not cancelled` or `closed`.
    pub state: &'static str,
    /// The step that was not done, or why; empty where there is nothing to say.
    pub step: String,
}

/// What the user wants of an agent.
#[derive(Clone, Debug)]
pub struct PlayOptions {
    /// The newest version that the agent answers with.
    pub newest: Version,
    pub menu: Menu,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long an answer may take that a person gives.
    pub patience: Duration,
    /// How long the user may take to stop a turn, where that is what the scenario is about.
    pub stop_within: Duration,
    /// The folder of listed sessions that name none: an absolute path.
    pub cwd: String,
    /// A number that no other process has: sessions are named by it.
    pub seed: u64,
    /// The agent's side of a recording, which is said instead of what scenarios say.
    pub playback: Option<Recorded>,
}

/// The scenario with a name.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().copied().find(|scenario| scenario.name == name)
}
