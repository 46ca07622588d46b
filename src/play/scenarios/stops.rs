use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "stops",
    summary: "the next of the stop reasons: tokens, requests, refusal",
    look: "The turn ends early. Play it three times for all reasons.",
    is_alone: true,
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    const REASONS: [&str; 3] = ["max_tokens", "max_turn_requests", "refusal"];
    script.ending = Ending::Stop(REASONS[script.setting.repeats % REASONS.len()]);
    Ok(State::Done)
}
