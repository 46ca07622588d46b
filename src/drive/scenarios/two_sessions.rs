use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "two-sessions",
    summary: "a prompt in each of two sessions at the same time",
    explanation: "Each update belongs to the session that it names. An agent that can only work on one \
                  session at a time may answer one prompt after the other.",
    needs: Need::Prompt,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let first = go_on!(session(player));
    let second = go_on!(new_session(player));
    let prompt = prompt_of(player);
    let one = player.prompt(&first.id, prompt.clone());
    let two = player.prompt(&second.id, prompt);
    let one = player.end_of_turn(&one, &first.id)?;
    let two = player.end_of_turn(&two, &second.id)?;
    let ends = [outcome(one), outcome(two)].join(", ");
    Ok(State::Done(ends.trim_matches([',', ' ']).to_owned()))
}
