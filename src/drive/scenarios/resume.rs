use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "resume",
    summary: "two turns; load or resume the session in the same process and in two new ones",
    explanation: "`session/load` replays the conversation; `session/resume` does not, unless the \
                  client asks for it. An agent that has both is asked by each.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let Some(method) = attach_method(player) else {
        return Ok(State::NotOffered("loadSession".to_owned()));
    };
    let prompt = prompt_of(player);
    player.take_history();
    go_on!(turn(player, &session.id, prompt));
    let first = player.take_history();
    let params = attach_params(player, &session.id);
    // The connection that has the session may load it, too.
    player.request(method, params.clone())?;
    // Loading may spoil what is stored: the second process loads, and so does the third.
    go_on!(restarted(player));
    list(player)?;
    go_on!(attached(player, method, params.clone()));
    player.take_history();
    go_on!(turn(player, &session.id, text(NEXT_PROMPT)));
    let second = player.take_history();
    go_on!(restarted(player));
    go_on!(attached(player, method, params.clone()));
    let back = player.take_history();
    if method == "session/load" && player.offers("sessionCapabilities.resume", "") {
        player.request("session/resume", params)?;
    }
    Ok(State::Done(compare(player, method, &back, &[first, second])))
}

/// Sends `session/list`, if the agent advertises it, to see the session of the scenario there.
fn list(player: &mut Player<'_>) -> Result<(), Stop> {
    if player.offers("sessionCapabilities.list", "") {
        player.request("session/list", json!({ "cwd": player.options.cwd }))?;
    }
    Ok(())
}
