use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "sessions",
    summary: "create two sessions; list, set, cancel, close, delete, load and resume them as advertised",
    explanation: "Modes and options are set to the value that they already have. Loading and resuming \
                  are tried with an id that does not exist. Only sessions of this run are closed or \
                  deleted.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let first = go_on!(session(player));
    let second = go_on!(new_session(player));
    if player.offers("sessionCapabilities.list", "") {
        player.request("session/list", json!({}))?;
        let here = json!({ "cwd": player.options.cwd });
        player.request("session/list", here)?;
        player.request("session/list", json!({ "cwd": "/acpcheck/no/such/folder" }))?;
    }
    set_mode(player, &first)?;
    set_options(player, &first)?;
    player.notify("session/cancel", json!({ "sessionId": first.id }));
    let mut left_out = Vec::new();
    if player.offers("sessionCapabilities.close", "") {
        player.request("session/close", json!({ "sessionId": first.id }))?;
    } else {
        left_out.push("close");
    }
    if player.offers_delete() {
        player.request("session/delete", json!({ "sessionId": second.id }))?;
        player.request("session/delete", json!({ "sessionId": second.id }))?;
        player.note_deleted(&second.id);
    } else {
        left_out.push("delete");
    }
    let unknown = |player: &Player<'_>| {
        let mut params = player.session_params();
        params["sessionId"] = player.unknown_session().into();
        params
    };
    if player.version() == Version::V1 && player.offers("loadSession", "") {
        let params = unknown(player);
        player.request("session/load", params)?;
    }
    if player.offers("sessionCapabilities.resume", "") {
        let params = unknown(player);
        player.request("session/resume", params)?;
    } else {
        left_out.push("resume");
    }
    // The answer to a request shows that the notification before it was read.
    player.request("_acpcheck/unknown", json!({}))?;
    Ok(State::Done(match left_out.as_slice() {
        [] => String::new(),
        names => format!("not offered: {}", names.join(", ")),
    }))
}

/// Sets the mode to what it is.
fn set_mode(player: &mut Player<'_>, session: &Session) -> Result<(), Stop> {
    if let Some(mode) = session.result["modes"]["currentModeId"].as_str() {
        let params = json!({ "sessionId": session.id, "modeId": mode });
        player.request("session/set_mode", params)?;
    }
    Ok(())
}

/// Sets each option to the value that it has.
fn set_options(player: &mut Player<'_>, session: &Session) -> Result<(), Stop> {
    /// More are like these.
    const MOST: usize = 20;
    let is_v2 = player.version() == Version::V2;
    let options = session.result["configOptions"].as_array().map(Vec::as_slice).unwrap_or_default();
    for option in options.iter().take(MOST) {
        let id = &option[if is_v2 { "configId" } else { "id" }];
        let value = &option["currentValue"];
        let mut params = json!({ "sessionId": session.id, "configId": id, "value": value });
        match option["type"].as_str() {
            Some("select") if value.is_string() => {
                if is_v2 {
                    params["type"] = "id".into();
                }
            }
            Some("boolean") if value.is_boolean() => params["type"] = "boolean".into(),
            // A type that the player does not know has a value that it cannot set.
            _ => continue,
        }
        player.request("session/set_config_option", params)?;
    }
    Ok(())
}
