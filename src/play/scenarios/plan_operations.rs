use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "plan-operations",
    summary: "two plans at once, of which one is removed",
    look: "Two plans side by side; then the first is gone and the second is done.",
    gate: ["plan", ""],
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let (first, second) = (script.id("plan"), script.id("plan"));
    script.begin("two plans at once");
    script.plan_of(&first, &[entry("Only here for a moment", "completed")]);
    script.plan_of(&second, &[entry("Stays", "in_progress")]);
    script.alive()?;
    script.begin("a plan that is removed");
    script.update(json!({ "sessionUpdate": "plan_removed", "planId": first }));
    script.plan_of(&second, &[entry("Stays", "completed")]);
    script.alive()?;
    Ok(State::Done)
}
