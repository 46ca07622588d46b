use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "withdraw",
    summary: "a question for a permission that the agent withdraws",
    look: "One question, which the agent withdraws after a second. Answer it if it stays open.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let (call, open) = ask_to_edit(script);
    let deadline = Instant::now() + Duration::from_secs(1);
    while !script.has_answer(&open) && Instant::now() < deadline {
        script.hear_once(Duration::from_millis(100))?;
    }
    script.withdraw(&open);
    script.begin("a permission request that was withdrawn");
    script.answer_of_user(&open)?;
    resume(script);
    script.tool_update(&call, json!({ "status": "failed" }));
    script.alive()?;
    Ok(State::Done)
}
