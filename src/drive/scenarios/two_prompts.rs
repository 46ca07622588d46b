use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "two-prompts",
    summary: "two prompts at once in one session",
    explanation: "The agent refuses the second one, or answers both. Both prompts get an answer.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let blocks = prompt_of(player);
    let first = player.prompt(&session.id, blocks.clone());
    let second = player.prompt(&session.id, blocks);
    let answer = player.end_of_turn(&second)?;
    let first = go_on!(end_of_turn(player, &first));
    Ok(State::Done(match answer.result("session/prompt") {
        Ok(_) => first,
        Err(why) => format!("the second one is refused: {why}"),
    }))
}
