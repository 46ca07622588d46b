use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "two-sessions",
    summary: "a prompt in each of two sessions at the same time",
    explanation: "Each update belongs to the session that it names. An agent that can only work on one \
                  session at a time may answer one prompt after the other.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let first = go_on!(session(player));
    let second = go_on!(new_session(player));
    let prompt = prompt_of(player);
    let one = player.prompt(&first.id, prompt.clone());
    let two = player.prompt(&second.id, prompt);
    let (one, two) = (end_of_turn(player, &one)?, end_of_turn(player, &two)?);
    Ok(match (one, two) {
        (Ok(one), Ok(two)) => {
            State::Done([one, two].join(", ").trim_matches([',', ' ']).to_owned())
        }
        (Err(state), _) | (_, Err(state)) => state,
    })
}
