use std::path::Path;

use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "additional-directories",
    summary: "create a session with another folder beside its own",
    explanation: "The folder exists. Only agents that advertise additional directories get one.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const METHOD: &str = "session/new";
    go_on!(session(player));
    go_on!(offered(
        player,
        "sessionCapabilities.additionalDirectories",
        "session.additionalDirectories"
    ));
    let mut params = player.session_params();
    // One that is there for sure.
    let folder = Path::new(&player.options.cwd).parent().unwrap_or(Path::new("/"));
    params["additionalDirectories"] = json!([folder]);
    Ok(match player.request(METHOD, params)?.result(METHOD) {
        Ok(result) => {
            if let Some(id) = result["sessionId"].as_str() {
                player.note_created(id);
            }
            State::Done(String::new())
        }
        Err(why) => State::Refused(why),
    })
}
