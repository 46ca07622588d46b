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

/// The outcome of a step of a scenario: a value to go on with, or the state in which the scenario
/// ends early. The outer error breaks the scenario off.
pub(super) type Step<T> = Result<Result<T, State>, Stop>;

/// Unwraps a [`Step`]: gives its value, or returns from the scenario with its final state.
macro_rules! go_on {
    ($step:expr) => {
        match $step? {
            Ok(value) => value,
            Err(state) => return Ok(state),
        }
    };
}
pub(super) use go_on;

/// Sends `initialize` without client capabilities, and logs in if the user has named a method.
pub(super) fn initialized(player: &mut Player<'_>) -> Step<()> {
    initialized_with(player, json!({}))
}

/// Sends `initialize` with these client capabilities, and logs in if the user has named a method. Who
/// names one wants to be logged in: a failure is more than a refusal.
pub(super) fn initialized_with(player: &mut Player<'_>, capabilities: Value) -> Step<()> {
    player.initialize(capabilities)?;
    player.log_in()?.map_err(Stop::NotInitialized)?;
    Ok(Ok(()))
}

/// Ends the agent's process, starts a new one, sends `initialize` and logs in as before.
pub(super) fn restarted(player: &mut Player<'_>) -> Step<()> {
    player.restart()?;
    initialized(player)
}

/// Sends `initialize` without capabilities, logs in if the user wants that, and creates a session.
pub(super) fn session(player: &mut Player<'_>) -> Step<Session> {
    match initialized(player)? {
        Ok(()) => new_session(player),
        Err(state) => Ok(Err(state)),
    }
}

/// A session that the scenario has created with `session/new`.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    /// The result of `session/new`, with modes and config options.
    pub(super) result: Value,
}

pub(super) fn new_session(player: &mut Player<'_>) -> Step<Session> {
    new_session_with(player, player.session_params())
}

/// Starts a second process of the agent beside the first, sends `initialize` to it and logs in.
pub(super) fn another(player: &mut Player<'_>) -> Step<()> {
    player.start_another()?;
    initialized(player)
}

/// Creates a session with these params of `session/new`. A refusal ends the scenario.
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

/// Ends the scenario as `NotOffered` when the agent does not advertise a capability. `v1` and `v2`
/// are its dotted paths, as for [`Player::offers`].
pub(super) fn offered(player: &Player<'_>, v1: &str, v2: &str) -> Step<()> {
    let path = match player.version() {
        Version::V1 => v1,
        Version::V2 => v2,
    };
    let is_offered = player.offers(v1, v2);
    Ok(if is_offered { Ok(()) } else { Err(State::NotOffered(path.to_owned())) })
}

/// Sends a request and goes on also when the agent refuses; the refusal is added to `refused`, so
/// that the scenario can report it at its end.
pub(super) fn ask(
    player: &mut Player<'_>,
    method: &str,
    params: Value,
    refused: &mut Vec<String>,
) -> Result<(), Stop> {
    refused.extend(player.request(method, params)?.result(method).err());
    Ok(())
}

/// The final state of a scenario: `Refused` with the first of the refusals, else `Done` with
/// `told`, the observation to print.
pub(super) fn done_unless_refused(refused: Vec<String>, told: String) -> State {
    refused.into_iter().next().map_or(State::Done(told), State::Refused)
}

/// The final state of a scenario whose last step was a request of `method`: `Done`, or `Refused`
/// when the answer is an error.
pub(super) fn done_or_refused(answer: Reply, method: &str) -> State {
    match answer.result(method) {
        Ok(_) => State::Done(String::new()),
        Err(why) => State::Refused(why),
    }
}

/// The final state of a scenario in which one turn of the agent may use what the client advertises:
/// `Done` with the stop reason, or `NotDone` with `otherwise` when the agent used nothing of it.
pub(super) fn done_if_used(player: &Player<'_>, reason: String, otherwise: &str) -> State {
    if player.answers.used == 0 {
        State::NotDone(otherwise.to_owned())
    } else {
        State::Done(reason)
    }
}

/// A prompt of one text block.
pub(super) fn text(prompt: &str) -> Value {
    json!([{ "type": "text", "text": prompt }])
}

/// The content blocks of the prompt that the user has given; an empty text when the user gave none.
pub(super) fn prompt_of(player: &Player<'_>) -> Value {
    text(player.options.prompt.as_deref().unwrap_or_default())
}

pub(super) fn long_prompt_of(player: &Player<'_>) -> Value {
    text(player.options.long_prompt.as_deref().unwrap_or_default())
}

/// Sends a prompt and waits for the end of the turn. Returns the stop reason; an error as the
/// answer ends the scenario.
pub(super) fn turn(player: &mut Player<'_>, session: &str, blocks: Value) -> Step<String> {
    let prompt = player.prompt(session, blocks);
    end_of_turn(player, &prompt)
}

/// Waits for the end of the turn of a prompt that was sent. Returns the stop reason; an error as
/// the answer, and a turn without work, end the scenario.
pub(super) fn end_of_turn(player: &mut Player<'_>, prompt: &Open) -> Step<String> {
    let reason = match player.end_of_turn(prompt)?.result("session/prompt") {
        Ok(result) => result["stopReason"].as_str().unwrap_or_default().to_owned(),
        Err(why) => return Ok(Err(State::Refused(why))),
    };
    Ok(match &*reason {
        "refusal" => Err(State::NoWork("the turn ends with the stop reason refusal".to_owned())),
        "cancelled" => Ok(reason),
        _ if player.has_worked(prompt)? => Ok(reason),
        _ => Err(State::NoWork("the turn shows no work".to_owned())),
    })
}

/// The params of `session/load` or `session/resume` for a session. On version 2 they ask for the
/// history.
pub(super) fn attach_params(player: &Player<'_>, session: &str) -> Value {
    let mut params = player.session_params();
    params["sessionId"] = session.into();
    if player.version() == Version::V2 {
        params["replayFrom"] = json!({ "type": "start" });
    }
    params
}

/// The method by which the agent attaches a stored session, `session/load` or `session/resume`;
/// `None` when it advertises neither.
pub(super) fn attach_method(player: &Player<'_>) -> Option<&'static str> {
    if player.version() == Version::V1 && player.offers("loadSession", "") {
        Some("session/load")
    } else {
        player.offers("sessionCapabilities.resume", "").then_some("session/resume")
    }
}

/// The prompt of a second turn. It differs from the user's prompt, so that a replay shows which is
/// which.
pub(super) const NEXT_PROMPT: &str = "Say in one sentence what you have done in this session.";

/// Sends `method`, which loads or resumes a session. Forgets updates so far, so that those of the
/// replay can be told from them. A refusal ends the scenario.
pub(super) fn attached(player: &mut Player<'_>, method: &str, params: Value) -> Step<()> {
    player.take_history();
    Ok(match player.request(method, params)?.result(method) {
        Ok(_) => Ok(()),
        Err(why) => Err(State::Refused(why)),
    })
}

/// Words for the user on how much of a session's history an agent has replayed. `back` is what
/// came; `turns` is what each turn had when it was played. On version 1, only `session/load`
/// replays.
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
