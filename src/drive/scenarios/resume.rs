use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "resume",
    summary: "one turn, then load or resume the session, in the same process and in two new ones",
    explanation: "`session/load` replays the conversation; `session/resume` does not, unless the \
                  client asks for it.",
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
    player.forget_seen();
    go_on!(turn(player, &session.id, prompt.clone()));
    let owed: Vec<String> = told(player);
    let params = attach_params(player, &session.id);
    // The connection that has the session may load it, too.
    player.request(method, params.clone())?;
    let mut detail = String::new();
    // The second time shows whether the first one has spoiled what is stored.
    for process in 0..2 {
        go_on!(restarted(player));
        player.forget_seen();
        if let Err(why) = player.request(method, params.clone())?.result(method) {
            return Ok(State::Refused(why));
        }
        if process == 0 {
            let back = told(player);
            let lost: Vec<_> = owed.iter().filter(|kind| !back.contains(kind)).cloned().collect();
            detail = match (method, lost.as_slice()) {
                ("session/resume", _) if player.version() == Version::V1 => method.to_owned(),
                (_, []) => format!("{method} replays {}", back.join(", ")),
                (_, lost) => format!("{method} does not replay {}", lost.join(", ")),
            };
            go_on!(turn(player, &session.id, prompt.clone()));
        }
    }
    Ok(State::Done(detail))
}

/// What of a conversation has come, in words.
fn told(player: &Player<'_>) -> Vec<String> {
    let kinds = [("agent_message", "messages"), ("tool_call", "tool calls"), ("plan", "plans")];
    let has = |beginning: &str| player.seen().iter().any(|kind| kind.starts_with(beginning));
    kinds.iter().filter(|(kind, _)| has(kind)).map(|(_, word)| (*word).to_owned()).collect()
}
