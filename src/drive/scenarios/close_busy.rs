use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "close-busy",
    summary: "close a session that is at work",
    explanation: "The agent cancels the work, answers the prompt, and confirms that the session is \
                  closed.",
    needs: Need::LongPrompt,
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
    if !player.update_before(&open)? {
        return Ok(State::Done("the turn had ended before it was closed".to_owned()));
    }
    player.answers.is_cancelled = true;
    let close = player.send_request("session/close", json!({ "sessionId": session.id }));
    player.answer_to(&close)?;
    let answer = player.answer_to(&open)?;
    Ok(State::Done(outcome(answer)))
}
