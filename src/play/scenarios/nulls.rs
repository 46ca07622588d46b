use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "nulls",
    summary: "null wherever it is legal, and deep `_meta`",
    look: "Nothing unusual should be seen.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    let deep = (0..100).fold(json!({}), |inner, _| json!({ "in": inner }));
    script.begin("null in an update of a tool call");
    let call = script.tool_call("Nothing", json!({ "_meta": null }));
    script.tool_update(
        &call,
        json!({
            "title": null, "kind": null, "status": null, "content": null, "locations": null,
            "rawInput": null, "rawOutput": null, "_meta": null,
        }),
    );
    script.finish_call(&call);
    script.alive()?;
    script.begin("null in a message");
    script.content(
        "agent_message_chunk",
        &json!({ "type": "text", "text": "null ", "annotations": null, "_meta": null }),
    );
    script.alive()?;
    script.begin("null in information about the session");
    script.update(
        json!({ "sessionUpdate": "session_info_update", "title": null, "updatedAt": null }),
    );
    script.update(
        json!({ "sessionUpdate": "usage_update", "used": 0, "size": 200_000, "cost": null }),
    );
    script.alive()?;
    script.begin("deep `_meta`");
    script
        .content("agent_message_chunk", &json!({ "type": "text", "text": "deep", "_meta": deep }));
    script.alive()?;
    Ok(State::Done)
}
