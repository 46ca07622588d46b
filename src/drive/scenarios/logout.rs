use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "logout",
    summary: "log in, log out, and log in again",
    explanation: "After a logout, the agent asks for a login before it creates a session.",
    needs: Need::Auth,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    go_on!(initialized(player));
    let method = match player.version() {
        Version::V1 if !player.offers("auth.logout", "") => {
            return Ok(State::NotOffered("auth.logout".to_owned()));
        }
        Version::V1 => "logout",
        // An agent that has a login has this, too.
        Version::V2 => "auth/logout",
    };
    let answer = player.request(method, json!({}))?;
    let created = player.request("session/new", player.session_params())?;
    if let Reply::Result(created) = created
        && let Some(id) = created["sessionId"].as_str()
    {
        player.note_created(id);
    }
    // The user is to find the agent as it was.
    let again = player.log_in()?;
    Ok(match answer.result(method).and(again.map(|()| Value::Null)) {
        Ok(_) => State::Done(String::new()),
        Err(why) => State::Refused(why),
    })
}
