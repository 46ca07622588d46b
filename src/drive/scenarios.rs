//! The scenarios: each is one value in one file.
//!
//! A new scenario gets a file with a value `SCENARIO`, is declared here, and stands in [`SCENARIOS`].

use serde_json::{Value, json};

use crate::{
    drive::{Need, Player, Scenario, State, Stop, player::AUTH_REQUIRED, player::Answer},
    protocol::Version,
};

mod all_capabilities;
mod cancel;
mod close_busy;
mod content;
mod files;
mod future_version;
mod initialize;
mod malformed;
mod other_version;
mod resume;
mod sessions;
mod turn;
mod turn_denied;
mod two_sessions;
mod unknown_methods;

/// All scenarios, in the order in which they are played.
pub static SCENARIOS: &[&Scenario] = &[
    &initialize::SCENARIO,
    &all_capabilities::SCENARIO,
    &future_version::SCENARIO,
    &other_version::SCENARIO,
    &unknown_methods::SCENARIO,
    &malformed::SCENARIO,
    &sessions::SCENARIO,
    // turns
    &turn::SCENARIO,
    &turn_denied::SCENARIO,
    &cancel::SCENARIO,
    &content::SCENARIO,
    &resume::SCENARIO,
    &files::SCENARIO,
    &two_sessions::SCENARIO,
    &close_busy::SCENARIO,
];

/// What a step leads to: a value to go on with, or the state that the scenario ends in.
type Step<T> = Result<Result<T, State>, Stop>;

/// Returns the state of an [`Err`] step, or its value.
macro_rules! go_on {
    ($step:expr) => {
        match $step? {
            Ok(value) => value,
            Err(state) => return Ok(state),
        }
    };
}
use go_on;

/// Initializes without capabilities, logs in if the user wants that, and creates a session.
fn session(player: &mut Player<'_>) -> Step<Session> {
    player.initialize(json!({}))?;
    if let Err(why) = player.log_in()? {
        return Ok(Err(State::Refused(why)));
    }
    new_session(player)
}

/// A session that this run has created.
#[derive(Debug)]
struct Session {
    id: String,
    /// The result that created it.
    result: Value,
}

fn new_session(player: &mut Player<'_>) -> Step<Session> {
    const METHOD: &str = "session/new";
    if !player.offers("", "session") {
        return Ok(Err(State::NotOffered("session".to_owned())));
    }
    let answer = player.request(METHOD, player.session_params())?;
    let needs_login = matches!(answer, Answer::Error(AUTH_REQUIRED, _));
    let result = match answer.result(METHOD) {
        Ok(result) => result,
        Err(why) if needs_login && player.wishes.auth.is_none() => {
            let methods = player.auth_methods();
            let advice = match methods.first() {
                Some(method) => format!("{why}; try `--auth {method}`"),
                None => why,
            };
            return Ok(Err(State::Refused(advice)));
        }
        Err(why) => return Ok(Err(State::Refused(why))),
    };
    Ok(match result["sessionId"].as_str() {
        Some(id) => Ok(Session { id: id.to_owned(), result }),
        None => Err(State::Refused("session/new: the answer has no `sessionId`".to_owned())),
    })
}

/// A prompt of one text block.
fn text(prompt: &str) -> Value {
    json!([{ "type": "text", "text": prompt }])
}

/// The prompt of the user; scenarios that need none have an empty one.
fn prompt_of(player: &Player<'_>) -> Value {
    text(player.wishes.prompt.as_deref().unwrap_or_default())
}

fn long_prompt_of(player: &Player<'_>) -> Value {
    text(player.wishes.long_prompt.as_deref().unwrap_or_default())
}

/// Plays one turn to its end. Returns its stop reason, or the error as a sentence.
fn turn(player: &mut Player<'_>, session: &str, blocks: Value) -> Result<String, Stop> {
    let prompt = player.prompt(session, blocks);
    let answer = player.end_of_turn(&prompt, session)?;
    Ok(outcome(answer))
}

/// How a prompt was answered, in a few words.
fn outcome(answer: Answer) -> String {
    match answer.result("session/prompt") {
        Ok(result) => result["stopReason"].as_str().unwrap_or_default().to_owned(),
        Err(why) => why,
    }
}
