use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "elicitation",
    summary: "one prompt, with a client that declines what it is asked",
    explanation: "The agent may ask the user, since the client advertises elicitation. It goes on when the user \
                  declines.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.answers.has_elicitation = true;
    go_on!(initialized_with(player, json!({ "elicitation": { "form": {}, "url": {} } })));
    let session = go_on!(new_session(player));
    let prompt = prompt_of(player);
    let reason = go_on!(turn(player, &session.id, prompt));
    Ok(done_if_used(player, reason, "the agent asked the user nothing"))
}
