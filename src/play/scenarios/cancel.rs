use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel",
    summary: "writes until the user stops the turn",
    look: "Press stop while the text grows.",
    is_alone: true,
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    const PAUSE: Duration = Duration::from_millis(50);
    script.survives_cancel = true;
    let deadline = Instant::now() + script.setting.stop_within;
    while Instant::now() < deadline {
        script.say("more ");
        if script.cancelled_within(PAUSE)? {
            return Ok(State::Done);
        }
    }
    Ok(State::NotCancelled)
}
