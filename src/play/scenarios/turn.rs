use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "turn",
    summary: "a thought and a message",
    look: "A thought, then a message.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.think("The user wants to see a turn.");
    script.say("This is the message of the turn.\n\n");
    script.alive()?;
    Ok(State::Done)
}
