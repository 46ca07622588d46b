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
    if script.setting.version == Version::V2 {
        script.begin("a plan in Markdown");
        let third = script.id("plan");
        let content = "# A plan in words\n\n1. It has no entries.\n";
        let plan = json!({ "type": "markdown", "planId": third, "content": content, "path": null });
        script.update(json!({ "sessionUpdate": "plan_update", "plan": plan }));
        script.alive()?;
    }
    Ok(State::Done)
}
