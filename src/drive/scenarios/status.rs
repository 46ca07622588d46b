use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "status",
    summary: "ask for the status of a session and of the login, and for the options of new sessions",
    explanation: "Each only where the agent advertises it.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    go_on!(initialized(player));
    let mut asked = Vec::new();
    let mut refused = None;
    let mut ask = |player: &mut Player<'_>, method: &'static str, params: Value| {
        let answer = player.request(method, params)?;
        refused = refused.take().or(answer.result(method).err());
        asked.push(method);
        Ok::<_, Stop>(())
    };
    if player.offers("auth.status", "auth.status") {
        ask(player, "auth/status", json!({}))?;
    }
    if player.offers("sessionCapabilities.options", "session.options") {
        let here = json!({ "cwd": player.options.cwd });
        ask(player, "session/options", here)?;
    }
    if player.offers("sessionCapabilities.status", "session.status") {
        let session = go_on!(new_session(player));
        let unknown = player.unknown_session();
        ask(player, "session/status", json!({ "sessionId": session.id }))?;
        player.request("session/status", json!({ "sessionId": unknown }))?;
    }
    Ok(match (refused, asked.is_empty()) {
        (Some(why), _) => State::Refused(why),
        (None, true) => State::NotOffered("status, options".to_owned()),
        (None, false) => State::Done(asked.join(", ")),
    })
}
