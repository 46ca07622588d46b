use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "out-of-turn",
    summary: "a tool call and its question for a permission after the turn",
    look: "A tool call and a question come after the turn has ended. Answer it.",
    is_alone: true,
    play,
    after: Some(after),
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.say("A question follows.\n\n");
    Ok(State::Done)
}

fn after(script: &mut Script) -> Result<State, Stop> {
    script.begin("a permission request after the turn");
    script.pause(Duration::from_millis(200))?;
    resume(script);
    let call =
        script.tool_call("Work in the background", json!({ "kind": "other", "status": "pending" }));
    let id = script.new_request_id();
    let open = ask_permission(script, id, &call, "Work in the background");
    let reply = script.answer_of_user(&open)?;
    let state = if is_allowed(&reply) {
        resume(script);
        script.tool_update(&call, json!({ "status": "in_progress" }));
        script.finish_call(&call);
        State::Done
    } else {
        denied(script, &call, &reply)
    };
    rest(script);
    Ok(state)
}
