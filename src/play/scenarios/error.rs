use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "error",
    summary: "a turn that ends with an error",
    look: "The turn ends with the error `this error is part of the scenario`.",
    is_alone: true,
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.ending = Ending::Error(
        -32603,
        "this error is part of the scenario",
        json!({ "scenario": "error", "steps": [1, 2] }),
    );
    Ok(State::Done)
}
