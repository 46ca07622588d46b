use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "extensions",
    summary: "a notification and a request that no client knows",
    look: "Nothing should be seen.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.begin("a notification that no client knows");
    script.notify("_acpcheck/note", &json!({ "text": "no answer is expected" }));
    script.alive()?;
    script.begin("a request that no client knows");
    script.ask("_acpcheck/unknown", json!({ "question": "is this refused?" }))?;
    script.alive()?;
    Ok(State::Done)
}
