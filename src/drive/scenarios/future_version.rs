use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "future-version",
    summary: "offer version 65535",
    explanation: "An agent that does not know the version answers with one that it does, or with the \
                  error -32022. The request has the members of versions 1 and 2.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    offer(player, 65535)
}

/// Offers this protocol version in `initialize`. The returned state says how the agent answers.
pub(super) fn offer(player: &mut Player<'_>, version: u32) -> Result<State, Stop> {
    let info = json!({ "name": "acpcheck", "version": env!("CARGO_PKG_VERSION") });
    let answer = player.initialize_with(json!({
        "protocolVersion": version,
        "clientCapabilities": {},
        "clientInfo": info,
        "capabilities": {},
        "info": info,
    }))?;
    Ok(State::Done(match answer {
        Reply::Result(result) => format!("answered {}", result["protocolVersion"]),
        Reply::Error(code, message) => format!("error {code}, {message}"),
    }))
}
