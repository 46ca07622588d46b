use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel-pending",
    summary: "a question for a permission that is open when the user stops the turn",
    look: "Do not answer the question. Press stop.",
    is_alone: true,
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.survives_cancel = true;
    let (_, open) = ask_to_edit(script);
    let deadline = Instant::now() + script.setting.stop_within;
    while !script.has_answer(&open) && !script.is_cancelled() && Instant::now() < deadline {
        script.hear_once(Duration::from_millis(100))?;
    }
    // Some clients answer first, and stop then.
    if !script.cancelled_within(Duration::from_millis(500))? {
        resume(script);
        return Ok(State::NotCancelled);
    }
    answer_of_stopped(script, &open, "a permission request that is open when the turn is stopped")
}
