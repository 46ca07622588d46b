use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "turn-denied",
    summary: "one prompt, with all permissions rejected",
    explanation: "Only with `--allow`: without it, all scenarios reject permissions.",
    needs: Need::PromptAndAllow,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.answers.allows = false;
    let session = go_on!(session(player));
    let prompt = prompt_of(player);
    Ok(State::Done(go_on!(turn(player, &session.id, prompt))))
}
