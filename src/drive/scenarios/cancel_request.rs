use std::time::Duration;

use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel-request",
    summary: "the long prompt, whose request is cancelled with `$/cancel_request`",
    explanation: "The agent stops and answers with the error -32800, or with a result. It is free to ignore the \
                  notification; `session/cancel` follows after five seconds.",
    needs: Need::LongPrompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let prompt = long_prompt_of(player);
    let open = player.prompt(&session.id, prompt);
    if !player.work_on(&open)? {
        go_on!(end_of_turn(player, &open));
        return Ok(State::Done("the turn had ended before it was cancelled".to_owned()));
    }
    player.notify("$/cancel_request", json!({ "requestId": open.id() }));
    player.answers.is_cancelled = true;
    // The agent may ignore it, and the turn may be as long as the agent likes.
    if !player.ends_within(&open, Duration::from_secs(5))? {
        player.notify("session/cancel", json!({ "sessionId": session.id }));
    }
    let answer = player.end_of_turn(&open)?;
    Ok(State::Done(match answer.result("session/prompt") {
        Ok(result) => result["stopReason"].as_str().unwrap_or_default().to_owned(),
        Err(why) => why,
    }))
}
