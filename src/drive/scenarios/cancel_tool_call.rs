use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel-tool-call",
    summary: "the long prompt, whose first tool call that can be cancelled is cancelled",
    explanation: "The agent stops the tool call, and goes on with the turn. Version 1 has no such method.",
    needs: Need::LongPrompt,
    version: Some(Version::V2),
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const METHOD: &str = "tool_call/cancel";
    let session = go_on!(session(player));
    let prompt = long_prompt_of(player);
    let open = player.prompt(&session.id, prompt);
    let Some(call) = player.tool_call_of(&open)? else {
        go_on!(end_of_turn(player, &open));
        return Ok(State::NotDone(
            "the agent reported no tool call that can be cancelled".to_owned(),
        ));
    };
    let params = json!({ "sessionId": session.id, "toolCallId": call });
    let answer = player.request(METHOD, params)?;
    // The turn may be as long as the agent likes.
    player.answers.is_cancelled = true;
    player.notify("session/cancel", json!({ "sessionId": session.id }));
    let ended = end_of_turn(player, &open)?;
    Ok(match (answer.result(METHOD), ended) {
        (Err(why), _) => State::Refused(why),
        (Ok(_), Err(state)) => state,
        (Ok(_), Ok(reason)) => State::Done(reason),
    })
}
