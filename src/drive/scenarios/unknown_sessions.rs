use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "unknown-sessions",
    summary: "use sessions that never were, that are closed, and that are deleted",
    explanation: "A prompt, a mode and a load for such a session are refused. A deleted session may be loaded: \
                  that is shown and is no fault.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let unknown = player.unknown_session();
    use_session(player, &unknown)?;
    if player.offers("sessionCapabilities.close", "") {
        player.request("session/close", json!({ "sessionId": session.id }))?;
        player.request("session/prompt", prompt(&session.id))?;
    }
    let mut told = String::new();
    if player.offers_delete() {
        let other = go_on!(new_session(player));
        player.request("session/delete", json!({ "sessionId": other.id }))?;
        player.note_deleted(&other.id);
        go_on!(restarted(player));
        if let Some(method) = attach_method(player) {
            let mut params = player.session_params();
            params["sessionId"] = other.id.into();
            if let Reply::Result(_) = player.request(method, params)? {
                told.push_str("deleted sessions can be loaded");
            }
        }
        use_session(player, &unknown)?;
    }
    Ok(State::Done(told))
}

fn prompt(session: &str) -> Value {
    json!({ "sessionId": session, "prompt": text("acpcheck: this session is not there") })
}

/// Loads, resumes, forks and prompts a session that does not exist. The answers are judged by rules
/// on the recording only.
fn use_session(player: &mut Player<'_>, session: &str) -> Result<(), Stop> {
    let mut params = player.session_params();
    params["sessionId"] = session.into();
    if player.version() == Version::V1 && player.offers("loadSession", "") {
        player.request("session/load", params.clone())?;
    }
    if player.offers("sessionCapabilities.resume", "") {
        player.request("session/resume", params.clone())?;
    }
    if player.offers("sessionCapabilities.fork", "session.fork") {
        player.request("session/fork", params)?;
    }
    player.request("session/prompt", prompt(session))?;
    Ok(())
}
