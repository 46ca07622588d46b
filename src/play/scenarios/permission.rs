use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "permission",
    summary: "one question for a permission",
    look: "One question. Answer it.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let (call, open) = ask_to_edit(script);
    script.begin("a permission request");
    Ok(match script.answer_of_user(&open)? {
        reply if is_allowed(&reply) => {
            resume(script);
            script.tool_update(&call, json!({ "status": "in_progress" }));
            script.finish_call(&call);
            State::Done
        }
        reply => denied(script, &call, &reply),
    })
}
