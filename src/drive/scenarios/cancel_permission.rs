use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel-permission",
    summary: "one prompt, cancelled while the agent asks for a permission",
    explanation: "The client answers the open question with `cancelled`, and the agent ends the turn with the stop \
                  reason `cancelled`.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let prompt = prompt_of(player);
    let open = player.prompt(&session.id, prompt);
    if !player.permission_of(&open)? {
        go_on!(end_of_turn(player, &open));
        return Ok(State::NotDone("the agent asked for no permission".to_owned()));
    }
    player.answers.is_cancelled = true;
    player.notify("session/cancel", json!({ "sessionId": session.id }));
    player.answer_held();
    Ok(State::Done(go_on!(end_of_turn(player, &open))))
}
