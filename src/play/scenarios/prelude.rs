//! What all scenarios use: permissions, plans, and the state of a session that waits.

pub(super) use std::time::{Duration, Instant};

pub(super) use serde_json::{Value, json};

pub(super) use crate::{
    play::{
        Scenario, Script, State, Stop,
        script::{Ending, Open, Reply},
    },
    protocol::Version,
};

/// An entry of a plan, with medium priority.
pub(super) fn entry(content: &str, status: &str) -> Value {
    json!({ "content": content, "priority": "medium", "status": status })
}

/// Sends a permission request for the tool call `call`, with the options `yes` and `no`.
pub(super) fn ask_permission(script: &mut Script, id: Value, call: &str, title: &str) -> Open {
    let options = json!([
        { "optionId": "yes", "name": "Allow", "kind": "allow_once" },
        { "optionId": "no", "name": "Reject", "kind": "reject_once" },
    ]);
    let params = match script.setting.version {
        Version::V1 => json!({
            "sessionId": script.setting.session,
            "toolCall": { "toolCallId": call, "title": title },
            "options": options,
        }),
        Version::V2 => json!({
            "sessionId": script.setting.session,
            "title": title,
            "subject": { "type": "tool_call", "toolCall": { "toolCallId": call } },
            "options": options,
        }),
    };
    wait_for_user(script);
    script.request_as(id, "session/request_permission", Some(params))
}

/// Sets the state of the session to `requires_action`. Does nothing on version 1.
pub(super) fn wait_for_user(script: &mut Script) {
    if script.setting.version == Version::V2 {
        script.update(json!({ "sessionUpdate": "state_update", "state": "requires_action" }));
    }
}

/// Sets the state of the session back to `running`. Does nothing on version 1.
pub(super) fn resume(script: &mut Script) {
    if script.setting.version == Version::V2 {
        script.update(json!({ "sessionUpdate": "state_update", "state": "running" }));
    }
}

/// Whether the answer to `ask_permission` chose the option that allows.
pub(super) fn is_allowed(reply: &Reply) -> bool {
    matches!(reply, Reply::Result(result) if result["outcome"]["optionId"] == "yes")
}

/// Sets a tool call that was not permitted to `failed`. Returns the state of the scenario, with the
/// reason.
pub(super) fn denied(script: &mut Script, call: &str, reply: &Reply) -> State {
    resume(script);
    script.tool_update(call, json!({ "status": "failed" }));
    State::Refused(match reply {
        Reply::Error(why) => format!("session/request_permission: {why}"),
        Reply::Result(result) if result["outcome"]["outcome"] == "selected" => {
            "the permission was denied".to_owned()
        }
        Reply::Result(_) => "the question was not answered with an option".to_owned(),
    })
}

/// A list of one command, in the form of the version.
pub(super) fn commands(script: &Script) -> Value {
    let mut command = json!({ "name": "turn", "description": "a thought and a message" });
    if script.setting.version == Version::V2 {
        command["type"] = "command".into();
    }
    json!([command])
}
