use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "modes",
    summary: "the agent changes its mode and an option, and tells what it has used",
    look: "The mode is `Code` and the option `Style` is `Fancy`; then they are as before.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    if script.setting.version == Version::V1 {
        script.begin("a mode of the agent’s choice");
        script.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "code" }));
        script.alive()?;
    }
    script.begin("another value of an option");
    let mut options = script.setting.options.clone();
    options[1]["currentValue"] = "fancy".into();
    script.update(json!({ "sessionUpdate": "config_option_update", "configOptions": options }));
    script.alive()?;
    script.begin("what was used, with its cost");
    script.update(json!({
        "sessionUpdate": "usage_update",
        "used": 1_000,
        "size": 200_000,
        "cost": { "amount": 0.01, "currency": "USD" },
    }));
    script.alive()?;
    let options = script.setting.options.clone();
    script.update(json!({ "sessionUpdate": "config_option_update", "configOptions": options }));
    if script.setting.version == Version::V1 {
        script.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "ask" }));
    }
    script.alive()?;
    Ok(State::Done)
}
