use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "plans",
    summary: "a plan with three entries, then done, then empty, then with 500 entries",
    look: "A plan with three entries, the second in progress; then all done; then no plan; then one with 500 entries.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let names = ["Look", "Change", "Test"];
    let plan = |states: [&str; 3]| -> Vec<Value> {
        names.iter().zip(states).map(|(name, state)| entry(name, state)).collect()
    };
    let id = script.id("plan");
    script.begin("a plan with three entries");
    script.plan(&id, &plan(["completed", "in_progress", "pending"]));
    script.alive()?;
    script.begin("a plan that is done");
    script.plan(&id, &plan(["completed", "completed", "completed"]));
    script.alive()?;
    script.begin("an empty plan");
    script.plan(&id, &[]);
    script.alive()?;
    script.begin("a plan with 500 entries");
    let id = script.id("plan");
    let long: Vec<_> =
        (1..=500).map(|number| entry(&format!("Step {number}"), "completed")).collect();
    script.plan(&id, &long);
    script.alive()?;
    Ok(State::Done)
}
