use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "fork",
    summary: "fork a session, and delete what was forked",
    explanation: "The fork has an id of its own, and the session that it comes from stays as it was.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const METHOD: &str = "session/fork";
    let session = go_on!(session(player));
    go_on!(offered(player, "sessionCapabilities.fork", "session.fork"));
    let mut params = player.session_params();
    params["sessionId"] = session.id.into();
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
