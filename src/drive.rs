//! Plays the client's part against a live agent, so that there is something to check.
//!
//! A [`Scenario`] is a short conversation that the client leads. It speaks through a [`Player`], which
//! knows the protocol's messages, and that through an [`Agent`], which is a process elsewhere: nothing
//! here starts one, reads a file or prints. What the two sides say is recorded there, and rules judge
//! the recordings. A scenario has no opinion: it ends in a [`State`], which says how far it came.
//!
//! ```text
//! Scenario ─▶ Player ─▶ Agent (cli::drive) ─▶ recording ─▶ rules
//! ```

use std::time::{Duration, Instant};

use serde_json::Value;

mod answers;
mod history;
pub mod mcp;
mod player;
mod scenarios;

pub use player::Player;
pub use scenarios::SCENARIOS;

use crate::protocol::Version;

/// A conversation that is played with an agent.
#[derive(Debug)]
pub struct Scenario {
    /// How users select it.
    pub name: &'static str,
    /// What the client does, in one line without a full stop.
    pub summary: &'static str,
    /// What it is for, and what the agent is free to do.
    pub explanation: &'static str,
    /// What the user must give.
    pub needs: Need,
    /// The only version of the protocol that has what the scenario is about; `None` for both.
    pub version: Option<Version>,
    /// Whether the agent must stay usable. Where it need not, an unanswered request or the end of the
    /// agent is shown and is no failure, and the recording may stop anywhere.
    pub must_survive: bool,
    /// Plays it.
    pub play: fn(&mut Player<'_>) -> Result<State, Stop>,
}

impl Scenario {
    /// Whether it prompts the agent.
    pub fn takes_prompt(&self) -> bool {
        matches!(self.needs, Need::Prompt | Need::LongPrompt | Need::PromptAndAllow)
    }
}

/// What the user must give before a scenario can be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Nothing,
    /// A prompt, which costs a turn of the agent's model.
    Prompt,
    /// A prompt that keeps the agent at work for some seconds.
    LongPrompt,
    /// A prompt, and that permissions are granted in other scenarios.
    PromptAndAllow,
    /// An authentication method.
    Auth,
}

/// How a scenario ended when the agent did its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It was played to its end. What is worth telling; empty where nothing is.
    Done(String),
    /// The agent answered with an error that leaves nothing to play: a sentence without a full stop.
    Refused(String),
    /// The agent answered with an error that it is free to give: a sentence without a full stop.
    Declined(String),
    /// The agent did not do what the scenario is about, without saying so: a sentence without a full
    /// stop.
    NotDone(String),
    /// The agent does not advertise what the scenario is about: the name of the capability.
    NotOffered(String),
}

/// Why a scenario could not be played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A request was not answered in time: its method.
    Unanswered(String),
    /// The agent has ended, or sends too much.
    Ended,
    /// The agent answered `initialize` with an error, or with a version that the player does not speak:
    /// a sentence without a full stop.
    NotInitialized(String),
    /// The user has interrupted the run.
    Interrupted,
}

/// What came from the agent.
#[derive(Debug)]
pub enum Received {
    /// A line that is a JSON object.
    Message(Value),
    /// Nothing until the deadline.
    Nothing,
    /// Nothing more will come.
    Ended,
    /// The user has interrupted the run.
    Interrupted,
}

/// A live agent. All that is said is recorded.
pub trait Agent {
    /// Sends a line.
    fn send(&mut self, line: &str);

    /// Waits for the next message.
    fn receive(&mut self, deadline: Instant) -> Received;

    /// Closes the agent's standard input and waits whether it ends. Returns how it ended, such as
    /// `status 0`; `None` when it is still there.
    fn close_input(&mut self, within: Duration) -> Option<String>;

    /// Ends the agent, by the end of its input if it takes that, and starts another process of it, with
    /// a recording of its own.
    fn restart(&mut self) -> Result<(), Stop>;

    /// Leaves the process as it is and starts another one beside it, with a recording of its own. What is
    /// sent goes to the new one. Both end together, the new one first.
    fn start_another(&mut self) -> Result<(), Stop>;

    /// How the agent starts the MCP server of the run, as the protocol describes one; `None` for a
    /// run without one.
    fn mcp_server(&self) -> Option<Value>;

    /// The methods that MCP clients have called on that server, in order.
    fn mcp_calls(&self) -> Vec<String>;

    /// The text of a file in the session's folder; an error is a sentence without a full stop.
    fn read_file(&self, path: &str) -> Result<String, String>;

    /// Writes a file in the session's folder; an error is a sentence without a full stop.
    fn write_file(&self, path: &str, text: &str) -> Result<(), String>;
}

/// What the user wants of a run.
#[derive(Clone, Debug)]
pub struct PlayOptions {
    /// The version that is offered.
    pub version: Version,
    /// The number of the run, 16 hexadecimal digits: no agent knows an id with it.
    pub run: String,
    /// The working directory of sessions, an absolute path.
    pub cwd: String,
    pub prompt: Option<String>,
    pub long_prompt: Option<String>,
    /// The authentication method to log in with.
    pub auth: Option<String>,
    /// Whether permissions are granted.
    pub allows: bool,
    /// How long the answer to `initialize` may take.
    pub start_timeout: Duration,
    /// How long any other answer may take.
    pub timeout: Duration,
    /// How long the agent has to end by itself.
    pub grace: Duration,
}

/// Plays a scenario, and then deletes the sessions that it has created, if the agent can do that.
pub fn play(scenario: &Scenario, player: &mut Player<'_>) -> Result<State, Stop> {
    if let Some(state) = not_offered(scenario, player.options.version) {
        return Ok(state);
    }
    let state = (scenario.play)(player)?;
    if scenario.must_survive {
        player.delete_sessions()?;
    }
    Ok(state)
}

/// The state of a scenario that this version of the protocol has nothing for.
pub fn not_offered(scenario: &Scenario, version: Version) -> Option<State> {
    let only = scenario.version.filter(|only| *only != version)?;
    Some(State::NotOffered(format!("only in version {only}")))
}

/// The scenario with a name.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().copied().find(|scenario| scenario.name == name)
}
