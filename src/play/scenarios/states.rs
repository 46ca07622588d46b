use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "states",
    summary: "a state of its own beside `running`, and work in the background",
    look: "The session works, then a message comes from the background.",
    version: Some(Version::V2),
    is_alone: true,
    play,
    after: Some(after),
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.begin("a state of its own");
    script.update(json!({ "sessionUpdate": "state_update", "state": "_acpcheck_thinking" }));
    script.update(json!({ "sessionUpdate": "state_update", "state": "running" }));
    script.alive()?;
    Ok(State::Done)
}

fn after(script: &mut Script) -> Result<State, Stop> {
    script.begin("work in the background");
    script.pause(Duration::from_millis(200))?;
    resume(script);
    script.say("From the background.");
    rest(script);
    script.alive()?;
    Ok(State::Done)
}
