use crate::play::scenarios::prelude::*;

pub(super) static SCENARIO: Scenario = Scenario {
    name: "tools",
    summary: "tool calls of each kind, with a diff, places and unusual members",
    look: "Twelve tool calls: one of each kind, one with a diff and places, one with nothing but a title. All of them end.",
    play,
    ..Scenario::DEFAULT
};

fn play(script: &mut Script) -> Result<State, Stop> {
    const KINDS: [&str; 10] = [
        "read",
        "edit",
        "delete",
        "move",
        "search",
        "execute",
        "think",
        "fetch",
        "switch_mode",
        "other",
    ];
    script.begin("a tool call of each kind");
    for kind in KINDS {
        let call = script
            .tool_call(&format!("Kind {kind}"), json!({ "kind": kind, "status": "in_progress" }));
        script.finish_call(&call);
    }
    script.alive()?;
    script.begin("a tool call with a diff and places");
    let path = format!("{}/notes.txt", script.setting.cwd.trim_end_matches('/'));
    let call = script.tool_call(
        "Edit a file",
        json!({
            "kind": "edit",
            "status": "in_progress",
            "locations": [{ "path": path, "line": 3 }, { "path": path }],
            "content": [
                diff(script.setting.version, &path),
                { "type": "content", "content": { "type": "text", "text": "one word" } },
            ],
            "rawInput": ["an", "array"],
        }),
    );
    if script.setting.version == Version::V2 {
        script.tool_update(&call, json!({ "status": "paused" }));
        script.tool_update(&call, json!({ "status": "in_progress" }));
        script.update(json!({
            "sessionUpdate": "tool_call_content_chunk",
            "toolCallId": call,
            "content": { "type": "content", "content": { "type": "text", "text": "and more" } },
        }));
    }
    script.finish_call(&call);
    script.alive()?;
    script.begin("a tool call with nothing but a title");
    let call = script.tool_call("A title alone", json!({}));
    script.finish_call(&call);
    script.alive()?;
    Ok(State::Done)
}

/// A diff for the content of a tool call that changes one word of a file, in the form of the
/// version.
fn diff(version: Version, path: &str) -> Value {
    match version {
        Version::V1 => {
            json!({ "type": "diff", "path": path, "oldText": "old\n", "newText": "new\n" })
        }
        Version::V2 => json!({
            "type": "diff",
            "changes": [{ "operation": "modify", "path": path, "fileType": "text" }],
        }),
    }
}
