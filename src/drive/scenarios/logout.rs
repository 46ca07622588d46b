use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "logout",
    summary: "log in, log out, and log in again",
    explanation: "After a logout, the agent asks for a login before it creates a session.",
    needs: Need::Auth,
    version: Some(Version::V1),
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    const METHOD: &str = "logout";
    go_on!(initialized(player));
    if !player.offers("auth.logout", "") {
        return Ok(State::NotOffered("auth.logout".to_owned()));
    }
    let answer = player.request(METHOD, json!({}))?;
    player.request("session/new", player.session_params())?;
    // The user is to find the agent as it was.
    let again = player.log_in()?;
    Ok(match answer.result(METHOD).and(again.map(|()| Value::Null)) {
        Ok(_) => State::Done(String::new()),
        Err(why) => State::Refused(why),
    })
}
