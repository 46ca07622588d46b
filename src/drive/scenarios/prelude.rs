//! What all scenarios use: sessions, prompts and turns, each in one call.

pub(super) use serde_json::{Value, json};

use crate::drive::player::AUTH_REQUIRED;
pub(super) use crate::{
    drive::{
        Need, Player, Scenario, State, Stop,
        history::History,
        player::{Open, Reply},
    },
    protocol::Version,
};

/// What a step leads to: a value to go on with, or the state that the scenario ends in.
pub(super) type Step<T> = Result<Result<T, State>, Stop>;

/// Returns the state of an [`Err`] step, or its value.
macro_rules! go_on {
    ($step:expr) => {
        match $step? {
            Ok(value) => value,
            Err(state) => return Ok(state),
        }
    };
}
pub(super) use go_on;

/// Initializes without capabilities, and logs in if the user wants that.
pub(super) fn initialized(player: &mut Player<'_>) -> Step<()> {
    initialized_with(player, json!({}))
}

/// Initializes with these capabilities, and logs in if the user wants that.
pub(super) fn initialized_with(player: &mut Player<'_>, capabilities: Value) -> Step<()> {
    player.initialize(capabilities)?;
    Ok(player.log_in()?.map_err(State::Refused))
}

/// Ends the agent, starts it again, and initializes it as before.
pub(super) fn restarted(player: &mut Player<'_>) -> Step<()> {
    player.restart()?;
    initialized(player)
}

/// Initializes without capabilities, logs in if the user wants that, and creates a session.
pub(super) fn session(player: &mut Player<'_>) -> Step<Session> {
    match initialized(player)? {
        Ok(()) => new_session(player),
        Err(state) => Ok(Err(state)),
    }
}

/// A session that this run has created.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    /// The result that created it.
    pub(super) result: Value,
}

pub(super) fn new_session(player: &mut Player<'_>) -> Step<Session> {
    new_session_with(player, player.session_params())
}

/// Starts another process of the agent beside the one that runs, and initializes it as before.
pub(super) fn another(player: &mut Player<'_>) -> Step<()> {
    player.start_another()?;
    initialized(player)
}

/// Creates a session with these params.
pub(super) fn new_session_with(player: &mut Player<'_>, params: Value) -> Step<Session> {
    const METHOD: &str = "session/new";
    if !player.offers("", "session") {
        return Ok(Err(State::NotOffered("session".to_owned())));
    }
    let answer = player.request(METHOD, params)?;
    let needs_login = matches!(answer, Reply::Error(AUTH_REQUIRED, _));
    let result = match answer.result(METHOD) {
        Ok(result) => result,
        Err(why) if needs_login && player.options.auth.is_none() => {
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
        Some(id) => {
            player.note_created(id);
            Ok(Session { id: id.to_owned(), result })
        }
        None => Err(State::Refused("session/new: the answer has no `sessionId`".to_owned())),
    })
}

/// Ends the scenario where the agent does not advertise a capability: see [`Player::offers`].
pub(super) fn offered(player: &Player<'_>, v1: &str, v2: &str) -> Step<()> {
    let path = match player.version() {
        Version::V1 => v1,
        Version::V2 => v2,
    };
    let is_offered = player.offers(v1, v2);
    Ok(if is_offered { Ok(()) } else { Err(State::NotOffered(path.to_owned())) })
}

/// Sends a request whose refusal does not end the scenario, but is its state in the end.
pub(super) fn ask(
    player: &mut Player<'_>,
    method: &str,
    params: Value,
    refused: &mut Vec<String>,
) -> Result<(), Stop> {
    refused.extend(player.request(method, params)?.result(method).err());
    Ok(())
}

/// The state of a scenario that was played to its end: the first refusal, or what is worth telling.
pub(super) fn done_unless_refused(refused: Vec<String>, told: String) -> State {
    refused.into_iter().next().map_or(State::Done(told), State::Refused)
}

/// The state of a scenario that this answer decides.
pub(super) fn done_or_refused(answer: Reply, method: &str) -> State {
    match answer.result(method) {
        Ok(_) => State::Done(String::new()),
        Err(why) => State::Refused(why),
    }
}

/// A prompt of one text block.
pub(super) fn text(prompt: &str) -> Value {
    json!([{ "type": "text", "text": prompt }])
}

/// The prompt of the user; scenarios that need none have an empty one.
pub(super) fn prompt_of(player: &Player<'_>) -> Value {
    text(player.options.prompt.as_deref().unwrap_or_default())
}

pub(super) fn long_prompt_of(player: &Player<'_>) -> Value {
    text(player.options.long_prompt.as_deref().unwrap_or_default())
}

/// Plays one turn to its end. Leads to its stop reason; a prompt that fails ends the scenario.
pub(super) fn turn(player: &mut Player<'_>, session: &str, blocks: Value) -> Step<String> {
    let prompt = player.prompt(session, blocks);
    end_of_turn(player, &prompt)
}

/// Waits for the end of a turn, as [`turn`] does.
pub(super) fn end_of_turn(player: &mut Player<'_>, prompt: &Open) -> Step<String> {
    Ok(match player.end_of_turn(prompt)?.result("session/prompt") {
        Ok(result) => Ok(result["stopReason"].as_str().unwrap_or_default().to_owned()),
        Err(why) => Err(State::Refused(why)),
    })
}

/// The params that attach a session. On version 2 they ask for its history.
pub(super) fn attach_params(player: &Player<'_>, session: &str) -> Value {
    let mut params = player.session_params();
    params["sessionId"] = session.into();
    if player.version() == Version::V2 {
        params["replayFrom"] = json!({ "type": "start" });
    }
    params
}

/// The method by which the agent attaches a stored session; `None` where it can attach none.
pub(super) fn attach_method(player: &Player<'_>) -> Option<&'static str> {
    if player.version() == Version::V1 && player.offers("loadSession", "") {
        Some("session/load")
    } else {
        player.offers("sessionCapabilities.resume", "").then_some("session/resume")
    }
}

/// The prompt of a second turn, with other words than the user's.
pub(super) const NEXT_PROMPT: &str = "Say in one sentence what you have done in this session.";

/// Attaches a session. A refusal ends the scenario.
pub(super) fn attached(player: &mut Player<'_>, method: &str, params: Value) -> Step<()> {
    player.take_history();
    Ok(match player.request(method, params)?.result(method) {
        Ok(_) => Ok(()),
        Err(why) => Err(State::Refused(why)),
    })
}

/// How much of a session has come back, in words. `turns`: what each of its turns had. On version 1,
/// only `session/load` replays.
pub(super) fn compare(
    player: &Player<'_>,
    method: &str,
    back: &History,
    turns: &[History],
) -> String {
    let name = method.trim_start_matches("session/");
    if method == "session/resume" && player.version() == Version::V1 {
        return name.to_owned();
    }
    let all = turns.len();
    let mut parts = vec![format!("{} of {all} turns", back.prompts().min(all))];
    let all = turns.iter().map(History::tool_calls).sum();
    if all > 0 {
        let back = back.tool_calls().min(all);
        parts.push(format!("{back} of {all} tool {}", if all == 1 { "call" } else { "calls" }));
    }
    if turns.iter().any(|turn| turn.has_plan) {
        parts.push(if back.has_plan { "the plan" } else { "not the plan" }.to_owned());
    }
    format!("{name}: {}", parts.join(", "))
}
