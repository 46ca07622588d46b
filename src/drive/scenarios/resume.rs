use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "resume",
    summary: "one turn, then a new process that loads or resumes the session",
    explanation: "`session/load` replays the conversation; `session/resume` does not, unless the \
                  client asks for it.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let can_load = player.version() == Version::V1 && player.offers("loadSession", "");
    let can_resume = player.offers("sessionCapabilities.resume", "");
    if !can_load && !can_resume {
        return Ok(State::NotOffered("loadSession".to_owned()));
    }
    let prompt = prompt_of(player);
    go_on!(turn(player, &session.id, prompt));
    player.restart()?;
    player.initialize(json!({}))?;
    if let Err(why) = player.log_in()? {
        return Ok(State::Refused(why));
    }
    let mut params = player.session_params();
    params["sessionId"] = session.id.into();
    let method = if can_load { "session/load" } else { "session/resume" };
    if player.version() == Version::V2 {
        params["replayFrom"] = json!({ "type": "start" });
    }
    let answer = player.request(method, params)?;
    Ok(match answer.result(method) {
        Ok(_) => State::Done(method.to_owned()),
        Err(why) => State::Refused(why),
    })
}
