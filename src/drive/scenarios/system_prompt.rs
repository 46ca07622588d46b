use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "system-prompt",
    summary: "create sessions with a system prompt, in each mode that is advertised",
    explanation: "Only for agents that advertise system prompts. With `--prompt TEXT`, each session has \
                  a turn.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    go_on!(initialized(player));
    let (v1, v2) = ("sessionCapabilities.systemPrompt", "session.systemPrompt");
    go_on!(offered(player, v1, v2));
    let mut modes = vec!["append"];
    let mode = |path: &str| format!("{path}.mode.override");
    if player.offers(&mode(v1), &mode(v2)) {
        modes.push("override");
    }
    for mode in &modes {
        let mut params = player.session_params();
        params["systemPrompt"] = json!({ "mode": mode, "content": text("Answer in one word.") });
        let session = go_on!(new_session_with(player, params));
        if player.options.prompt.is_some() {
            let prompt = prompt_of(player);
            go_on!(turn(player, &session.id, prompt));
        }
    }
    Ok(State::Done(modes.join(", ")))
}
