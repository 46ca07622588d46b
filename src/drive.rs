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

/// A conversation that `acpcheck drive` can play with a live agent, such as `cancel`. It decides
/// nothing about the agent: rules judge the recording.
#[derive(Debug)]
pub struct Scenario {
    /// The name by which users select the scenario, such as `cancel`.
    pub name: &'static str,
    /// What the client does, in one line without a full stop.
    pub summary: &'static str,
    /// What the scenario is for, and what the agent is free to do in it: text for the user.
    pub explanation: &'static str,
    /// What the user must give on the command line before the scenario can be played.
    pub needs: Need,
    /// The only version of the protocol that has what the scenario is about; `None` for both.
    pub version: Option<Version>,
    /// Whether the agent must stay usable in the scenario. If not, an unanswered request or the end
    /// of the agent is no failure, and the recording may stop anywhere.
    pub must_survive: bool,
    /// Plays the scenario as the client. `Err` when the agent ended, did not answer or could not be
    /// initialized.
    pub play: fn(&mut Player<'_>) -> Result<State, Stop>,
}

impl Scenario {
    /// Whether the scenario sends a prompt, which costs a turn of the agent's model.
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
    /// A prompt and `--allow`, by which other scenarios grant permissions; this scenario rejects
    /// them instead.
    PromptAndAllow,
    /// The id of an authentication method of the agent (`--auth`).
    Auth,
}

/// How a scenario ended whose requests the agent answered. Texts say more to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The scenario was played to its end. The text is an observation to print; it may be empty.
    Done(String),
    /// The agent answered with an error, without which the scenario would go on. The text is a
    /// sentence without a full stop.
    Refused(String),
    /// The agent answered with an error that the protocol lets it give. The text is a sentence
    /// without a full stop.
    Declined(String),
    /// The agent did not do what the scenario tests, without an error. The text is a sentence
    /// without a full stop.
    NotDone(String),
    /// A turn ended without work, as if the agent had no model. The text is a sentence without a full
    /// stop.
    NoWork(String),
    /// The agent does not advertise what the scenario tests. The text is the name of the
    /// capability.
    NotOffered(String),
}

/// Why a scenario was broken off, so that it has no `State`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The agent did not answer a request in time. The text is the method of the request.
    Unanswered(String),
    /// The agent has ended, or has sent more than the player accepts.
    Ended,
    /// The agent answered `initialize` with an error, or with a version that the player does not
    /// speak, or the login failed: a sentence without a full stop.
    NotInitialized(String),
    /// The user has interrupted the run, such as with Ctrl-C.
    Interrupted,
}

/// What `Agent::receive` returns: a message of the agent, or why there is none.
#[derive(Debug)]
pub enum Received {
    /// A line of the agent that is a JSON object.
    Message(Value),
    /// A line of the agent that is too long to be read.
    TooLong,
    /// The agent sent no message until the deadline.
    Nothing,
    /// The agent has ended or closed its output: no message will come any more.
    Ended,
    /// The user has interrupted the run, such as with Ctrl-C; the scenario should be left.
    Interrupted,
}

/// A live agent as a scenario needs it: a process to which lines are sent. Implemented by `acpcheck
/// drive`, which also records all messages.
pub trait Agent {
    /// Sends a line, without its line break, to the agent's standard input.
    fn send(&mut self, line: &str);

    /// Waits for the next message of the agent, until the deadline at most.
    fn receive(&mut self, deadline: Instant) -> Received;

    /// Closes the agent's standard input and waits for the process to end, at most `within`.
    /// Returns how it ended, such as `status 0`; `None` when the process still runs.
    fn close_input(&mut self, within: Duration) -> Option<String>;

    /// Ends the agent's process and starts a new one, with a recording of its own. The old process
    /// is asked to end by closing its input, if the agent has obeyed that so far.
    fn restart(&mut self) -> Result<(), Stop>;

    /// Starts a second process of the agent with a recording of its own, while the first stays
    /// idle. Messages go to the new process. Both end together, the new one first.
    fn start_another(&mut self) -> Result<(), Stop>;

    /// The entry for `mcpServers` by which the agent starts the run's MCP server; `None` for a run
    /// without such a server.
    fn mcp_server(&self) -> Option<Value>;

    /// The methods that MCP clients have called on the run's MCP server, in the order of the calls.
    fn mcp_calls(&self) -> Vec<String>;

    /// The text of a file in the session's folder, for `fs/read_text_file`. An error is a sentence
    /// without a full stop.
    fn read_file(&self, path: &str) -> Result<String, String>;

    /// Writes a file in the session's folder, for `fs/write_text_file`. An error is a sentence
    /// without a full stop.
    fn write_file(&self, path: &str, text: &str) -> Result<(), String>;
}

/// The options of a run of `drive` that scenarios read, as the user gave them.
#[derive(Clone, Debug)]
pub struct PlayOptions {
    /// The protocol version that `initialize` offers.
    pub version: Version,
    /// The random number of the run, 16 hexadecimal digits. It is part of ids that no agent can
    /// know.
    pub run: String,
    /// The working directory of sessions, an absolute path.
    pub cwd: String,
    pub prompt: Option<String>,
    pub long_prompt: Option<String>,
    /// The id of the authentication method to log in with; `None` to send no login.
    pub auth: Option<String>,
    /// Whether permission requests are granted; otherwise they are rejected.
    pub allows: bool,
    /// How long the agent may take to answer `initialize`.
    pub start_timeout: Duration,
    /// How long the agent may take to answer any request but `initialize`.
    pub timeout: Duration,
    /// How long the agent may take to end after its standard input was closed, before it is killed.
    pub grace: Duration,
}

/// Plays a scenario, and then deletes the sessions that it has created, if the agent can do that.
pub fn play(scenario: &Scenario, player: &mut Player<'_>) -> Result<State, Stop> {
    if let Some(state) = not_offered(scenario, player.options.version) {
        return Ok(state);
    }
    let state = (scenario.play)(player)?;
    if scenario.must_survive {
        player.watch_for_late()?;
        player.delete_sessions()?;
    }
    Ok(state)
}

/// The state `NotOffered` for a scenario that is only about another version of the protocol; `None`
/// when the scenario can be played.
pub fn not_offered(scenario: &Scenario, version: Version) -> Option<State> {
    let only = scenario.version.filter(|only| *only != version)?;
    Some(State::NotOffered(format!("only in version {only}")))
}

/// The scenario with this name, such as `cancel`; `None` when there is none.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().copied().find(|scenario| scenario.name == name)
}
