use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "permissions",
    summary: "three questions at once, with unusual ids",
    look: "Three questions are open. Answer in any order.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let calls: Vec<_> = ["Read", "Change", "Run"]
        .map(|name| (name, script.tool_call(name, json!({ "kind": "edit", "status": "pending" }))))
        .into();
    let ids = [json!("x-1"), json!(7_000_000_000_u64), json!(0)];
    let ask = [ask_permission, ask_permission, ask_command];
    let open: Vec<_> = calls
        .iter()
        .zip(ids)
        .zip(ask)
        .map(|(((name, call), id), ask)| ask(script, id, call, name))
        .collect();
    script.begin("three permission requests");
    let mut state = State::Done;
    for ((_, call), open) in calls.iter().zip(&open) {
        let reply = script.answer_of_user(open)?;
        if is_allowed(&reply) {
            resume(script);
            script.tool_update(call, json!({ "status": "in_progress" }));
            script.finish_call(call);
        } else {
            state = denied(script, call, &reply);
        }
    }
    script.alive()?;
    Ok(state)
}
