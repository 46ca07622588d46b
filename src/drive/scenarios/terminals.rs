use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "terminals",
    summary: "one prompt, with terminals in which nothing is executed",
    explanation: "Each command seems to fail at once. The agent releases every terminal that it creates. Version 2 \
                  has no such methods.",
    needs: Need::Prompt,
    version: Some(Version::V1),
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.answers.has_terminals = true;
    go_on!(initialized_with(player, json!({ "terminal": true })));
    let session = go_on!(new_session(player));
    let prompt = prompt_of(player);
    let reason = go_on!(turn(player, &session.id, prompt));
    Ok(done_if_used(player, reason, "the agent used no terminal of the client"))
}
