use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "rare-values",
    summary: "values that begin with an underscore, which clients ignore",
    look: "Nothing unusual should be seen.",
    version: Some(Version::V2),
    is_alone: true,
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    script.begin("an update of its own kind");
    script.update(json!({ "sessionUpdate": "_acpcheck_note", "text": "ignore this" }));
    script.alive()?;
    script.begin("content of its own type");
    script.content("agent_message_chunk", &json!({ "type": "_acpcheck", "value": 1 }));
    script.alive()?;
    script.begin("a tool call of its own kind and status");
    let call =
        script.tool_call("Of its own kind", json!({ "kind": "_acpcheck", "status": "_waiting" }));
    script.finish_call(&call);
    script.alive()?;
    script.begin("a plan of its own type");
    let id = script.id("plan");
    script.update(json!({
        "sessionUpdate": "plan_update",
        "plan": { "type": "_acpcheck", "planId": id, "value": 1 },
    }));
    script.alive()?;
    script.ending = Ending::Stop("_acpcheck_done");
    Ok(State::Done)
}
