use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "elicitation",
    summary: "a form with a member that is required and one that is bounded",
    look: "A form that asks for a name of at most 20 letters, and for a number from 1 to 9. Fill it in.",
    gate: ["elicitation.form", "elicitation.form"],
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let form = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "title": "Name", "maxLength": 20 },
            "number": { "type": "integer", "title": "Number", "minimum": 1, "maximum": 9 },
        },
        "required": ["name"],
    });
    let params = json!({
        "sessionId": script.setting.session,
        "mode": "form",
        "message": "What is your name?",
        "requestedSchema": form,
    });
    script.begin("elicitation/create");
    wait_for_user(script);
    let open = script.request("elicitation/create", params);
    let reply = script.answer_of_user(&open)?;
    resume(script);
    if let Reply::Error(why) = reply {
        return Ok(State::Refused(format!("elicitation/create: {why}")));
    }
    script.alive()?;
    Ok(State::Done)
}
