use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "two-clients",
    summary: "a turn in one process; a turn in a second one beside it; a third loads the session",
    explanation: "Two editors may have the same session open. The first process stays idle while the second \
                  one loads the session and has a turn; both end. The third process must find this turn. An \
                  agent that refuses the second process is free to do so.",
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
    go_on!(another(player));
    if let Err(why) = player.request(method, params.clone())?.result(method) {
        return Ok(State::Declined(why));
    }
    player.take_history();
    go_on!(turn(player, &session.id, text(NEXT_PROMPT)));
    let second = player.take_history();
    go_on!(restarted(player));
    go_on!(attached(player, method, params));
    let back = player.take_history();
    Ok(State::Done(compare(player, method, &back, &[first, second])))
}
