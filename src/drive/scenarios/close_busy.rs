use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "close-busy",
    summary: "close a session that is at work",
    explanation: "The agent cancels the work, answers the prompt, and confirms that the session is \
                  closed.",
    needs: Need::LongPrompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    if !player.offers("sessionCapabilities.close", "") {
        return Ok(State::NotOffered("sessionCapabilities.close".to_owned()));
    }
    let prompt = long_prompt_of(player);
    let open = player.prompt(&session.id, prompt);
    if !player.work_on(&open)? {
        go_on!(end_of_turn(player, &open));
        return Ok(State::Done("the turn had ended before it was closed".to_owned()));
    }
    player.answers.is_cancelled = true;
    let close = player.request("session/close", json!({ "sessionId": session.id }))?;
    let answer = player.answer_to(&open)?;
    if let Err(why) = close.result("session/close") {
        return Ok(State::Refused(why));
    }
    Ok(match answer.result("session/prompt") {
        Ok(result) => State::Done(result["stopReason"].as_str().unwrap_or_default().to_owned()),
        Err(why) => State::Refused(why),
    })
}
