use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "turn",
    summary: "one prompt, with all updates until the turn ends",
    explanation: "Permissions are rejected, or granted with `--allow`.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let prompt = prompt_of(player);
    Ok(State::Done(go_on!(turn(player, &session.id, prompt))))
}
