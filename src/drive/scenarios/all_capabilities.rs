use crate::drive::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "all-capabilities",
    summary: "initialize with all that a client can advertise",
    explanation: "An agent ignores capabilities that it does not know. No session is created, so the \
                  agent does not use terminals or files.",
    needs: Need::Nothing,
    version: None,
    must_survive: true,
    play,
};

fn play(player: &mut Player<'_>) -> Result<State, Stop> {
    player.initialize(match player.options.version {
        Version::V1 => v1(),
        Version::V2 => v2(),
    })?;
    Ok(State::Done(String::new()))
}

/// All client capabilities that version 1 defines, to see how an agent takes them.
pub(super) fn v1() -> Value {
    json!({
        "fs": { "readTextFile": true, "writeTextFile": true },
        "terminal": true,
        "plan": {},
        "subagents": {},
        "auth": { "terminal": true },
        "elicitation": { "form": {}, "url": {} },
        "session": {
            "compaction": {},
            "configOptions": { "boolean": {} },
            "notices": {},
            "promptSuggestions": {},
            "cursors": {},
        },
    })
}

/// All client capabilities that version 2 defines, to see how an agent takes them.
pub(super) fn v2() -> Value {
    json!({
        "auth": { "terminal": {} },
        "elicitation": { "form": {}, "url": {} },
        "session": { "promptSuggestions": {}, "commands": {} },
    })
}
