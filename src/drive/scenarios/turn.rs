use std::time::Duration;

use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "turn",
    summary: "one prompt, with all updates until the turn ends",
    explanation: "Permissions are rejected, or granted with `--allow`. The client takes a moment to answer the \
                  first question: an agent that does not wait goes on meanwhile.",
    needs: Need::Prompt,
    version: None,
    must_survive: true,
    play,
};

/// How long the first permission request of the turn stays open, as if a user thought about it.
const THOUGHT: Duration = Duration::from_millis(1200);

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    let session = go_on!(session(player));
    let prompt = prompt_of(player);
    let open = player.prompt(&session.id, prompt);
    if player.permission_of(&open)? {
        player.watch(THOUGHT)?;
        player.answer_held();
    }
    Ok(State::Done(go_on!(end_of_turn(player, &open))))
}
