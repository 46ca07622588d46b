use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "files",
    summary: "one prompt, with the client's file methods for the session's folder",
    explanation: "The agent may read and write files through the client, below the session's folder \
                  only. Version 2 has no such methods.",
    needs: Need::Prompt,
    version: Some(Version::V1),
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.answers.has_files = true;
    go_on!(initialized_with(
        player,
        json!({ "fs": { "readTextFile": true, "writeTextFile": true } })
    ));
    let session = go_on!(new_session(player));
    let prompt = prompt_of(player);
    let reason = go_on!(turn(player, &session.id, prompt));
    Ok(done_if_used(player, reason, "the agent read and wrote no file through the client"))
}
