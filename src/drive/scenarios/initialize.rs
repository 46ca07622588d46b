use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "initialize",
    summary: "initialize without capabilities, then close the agent's input",
    explanation: "Shows what the agent does when its input ends. It is free to go on, but most \
                  clients end an agent in this way.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.initialize(json!({}))?;
    Ok(State::Done(match player.close_input() {
        Some(ended) => format!("ended with {ended} at the end of its input"),
        None => "still running after the end of its input".to_owned(),
    }))
}
