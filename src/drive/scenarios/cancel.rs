use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel",
    summary: "the long prompt, cancelled after its first update",
    explanation: "The agent stops and ends the turn with the stop reason `cancelled`.",
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
    player.answers.is_cancelled = true;
    player.notify("session/cancel", json!({ "sessionId": session.id }));
    Ok(State::Done(go_on!(end_of_turn(player, &open))))
}
