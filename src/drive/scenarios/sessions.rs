use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "sessions",
    summary: "create two sessions; list, set, cancel, close, delete, load and resume them as advertised",
    explanation: "Modes and options are set to the value that they already have. Loading and resuming \
                  are tried with a session that is open, one that is closed, one that is deleted and one \
                  that never was, here and in a second process. A deleted session may be loaded: that is \
                  shown and is no fault. Only sessions of this run are closed or deleted.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let first = go_on!(session(player));
    let second = go_on!(new_session(player));
    let mut refused = Vec::new();
    if player.offers("sessionCapabilities.list", "") {
        let here = json!({ "cwd": player.options.cwd });
        for params in [json!({}), here, json!({ "cwd": "/acpcheck/no/such/folder" })] {
            ask(player, "session/list", params, &mut refused)?;
        }
    }
    set_mode(player, &first, &mut refused)?;
    set_options(player, &first, &mut refused)?;
    player.notify("session/cancel", json!({ "sessionId": first.id }));
    attach(player, &first.id)?;
    let mut told = Vec::new();
    let mut left_out = Vec::new();
    if player.offers("sessionCapabilities.close", "") {
        ask(player, "session/close", json!({ "sessionId": first.id }), &mut refused)?;
        attach(player, &first.id)?;
    } else {
        left_out.push("close");
    }
    if player.offers_delete() {
        for _ in 0..2 {
            ask(player, "session/delete", json!({ "sessionId": second.id }), &mut refused)?;
        }
        player.note_deleted(&second.id);
    } else {
        left_out.push("delete");
    }
    let unknown = player.unknown_session();
    attach(player, &unknown)?;
    if attach_method(player).is_none() {
        left_out.push("load, resume");
    }
    // The answer to a request shows that the notification before it was read.
    player.request("_acpcheck/unknown", json!({}))?;
    if !left_out.is_empty() {
        told.push(format!("not offered: {}", left_out.join(", ")));
    }
    go_on!(restarted(player));
    if player.offers("sessionCapabilities.list", "") {
        player.request("session/list", json!({ "cwd": player.options.cwd }))?;
    }
    attach(player, &first.id)?;
    if player.offers_delete() && attach(player, &second.id)? {
        told.push("deleted sessions can be loaded".to_owned());
    }
    attach(player, &unknown)?;
    Ok(done_unless_refused(refused, told.join("; ")))
}

/// Attaches a session by each method that the agent advertises, `session/load` and
/// `session/resume`. Returns whether one of them succeeded.
fn attach(player: &mut Player<'_>, session: &str) -> Result<bool, Stop> {
    let mut params = player.session_params();
    params["sessionId"] = session.into();
    let mut succeeds = false;
    if player.version() == Version::V1 && player.offers("loadSession", "") {
        let answer = player.request("session/load", params.clone())?;
        succeeds |= matches!(answer, Reply::Result(_));
    }
    if player.offers("sessionCapabilities.resume", "") {
        let answer = player.request("session/resume", params)?;
        succeeds |= matches!(answer, Reply::Result(_));
    }
    Ok(succeeds)
}

/// Sets the session's mode to the current one, which must succeed without a change. Refusals are
/// added to `refused`.
fn set_mode(
    player: &mut Player<'_>,
    session: &Session,
    refused: &mut Vec<String>,
) -> Result<(), Stop> {
    if let Some(mode) = session.result["modes"]["currentModeId"].as_str() {
        let params = json!({ "sessionId": session.id, "modeId": mode });
        ask(player, "session/set_mode", params, refused)?;
    }
    Ok(())
}

/// Sets each config option to its current value, which must succeed without a change. Refusals are
/// added to `refused`.
fn set_options(
    player: &mut Player<'_>,
    session: &Session,
    refused: &mut Vec<String>,
) -> Result<(), Stop> {
    /// Most config options that are set; further ones are left alone.
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
        ask(player, "session/set_config_option", params, refused)?;
    }
    Ok(())
}
