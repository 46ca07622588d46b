use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "cancel-then-ask",
    summary: "a question for a permission that crosses the stop",
    look: "Press stop while the text grows. No question should stay open.",
    is_alone: true,
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    const PAUSE: Duration = Duration::from_millis(50);
    script.survives_cancel = true;
    let call = script.tool_call("Change a file", json!({ "kind": "edit", "status": "pending" }));
    let deadline = Instant::now() + script.setting.stop_within;
    while !script.is_cancelled() {
        if Instant::now() >= deadline {
            return Ok(State::NotCancelled);
        }
        script.say("more ");
        script.cancelled_within(PAUSE)?;
    }
    let id = script.new_request_id();
    let open = ask_permission(script, id, &call, "Change a file");
    answer_of_stopped(script, &open, "a permission request that crosses the stop")
}
