use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "late",
    summary: "a title, commands and a mode that come together with the end of the turn",
    look: "The session is called `A late title` when the turn has ended.",
    is_alone: true,
    play,
    after: Some(after),
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.last_updates = vec![
        json!({ "sessionUpdate": "session_info_update", "title": "A late title" }),
        json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands(script) }),
    ];
    if script.setting.version == Version::V1 {
        script
            .last_updates
            .push(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "ask" }));
    }
    Ok(State::Done)
}

fn after(script: &mut Script) -> Result<State, Stop> {
    script.begin("updates behind the end of the turn");
    script.pause(Duration::from_millis(100))?;
    script.alive()?;
    Ok(State::Done)
}
