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

/// An entry of a plan with this text and status and the priority `medium`.
pub(super) fn entry(content: &str, status: &str) -> Value {
    json!({ "content": content, "priority": "medium", "status": status })
}

/// Sends a permission request for the tool call `call`, with the options `yes` and `no`.
pub(super) fn ask_permission(script: &mut Script, id: Value, call: &str, title: &str) -> Open {
    let subject = json!({ "type": "tool_call", "toolCall": { "toolCallId": call } });
    ask_about(script, id, (call, subject), title)
}

/// Announces a tool call that changes a file, and asks for its permission. Returns the id of the tool
/// call, and the request.
pub(super) fn ask_to_edit(script: &mut Script) -> (String, Open) {
    const TITLE: &str = "Change a file";
    let call = script.tool_call(TITLE, json!({ "kind": "edit", "status": "pending" }));
    let id = script.new_request_id();
    let open = ask_permission(script, id, &call, TITLE);
    (call, open)
}

/// Waits for the answer to a permission request of a turn that the user has stopped. On version 2 the
/// agent withdraws the request. `step` names the request if the client does not answer.
pub(super) fn answer_of_stopped(
    script: &mut Script,
    open: &Open,
    step: &str,
) -> Result<State, Stop> {
    if script.setting.version == Version::V2 {
        script.withdraw(open);
    }
    script.begin(step);
    let within = script.setting.timeout.min(Duration::from_secs(5));
    script.answer_within(open, within)?;
    resume(script);
    Ok(State::Done)
}

/// Asks for the permission to run a command. Version 1 asks for that of its tool call.
pub(super) fn ask_command(script: &mut Script, id: Value, call: &str, title: &str) -> Open {
    let cwd = &script.setting.cwd;
    let subject =
        json!({ "type": "command", "command": "echo hay", "cwd": cwd, "toolCallId": call });
    ask_about(script, id, (call, subject), title)
}

/// Asks for a permission. `subject`: what it is about, on version 2.
fn ask_about(script: &mut Script, id: Value, (call, subject): (&str, Value), title: &str) -> Open {
    let options = json!([
        { "optionId": "yes", "name": "Allow", "kind": "allow_once" },
        { "optionId": "no", "name": "Reject", "kind": "reject_once" },
    ]);
    let mut params = json!({ "sessionId": script.setting.session, "options": options });
    match script.setting.version {
        Version::V1 => params["toolCall"] = json!({ "toolCallId": call, "title": title }),
        Version::V2 => {
            params["title"] = title.into();
            params["subject"] = subject;
        }
    }
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

/// Says that work after the turn has ended, where the version has that.
pub(super) fn rest(script: &mut Script) {
    if script.setting.version == Version::V2 {
        script.update(json!({
            "sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn",
        }));
    }
}

/// Whether the answer to `ask_permission` chose the option that allows.
pub(super) fn is_allowed(reply: &Reply) -> bool {
    matches!(reply, Reply::Result(result) if result["outcome"]["optionId"] == "yes")
}

/// Sets a tool call that the user did not permit to `failed`. Returns the state of the scenario,
/// with the reason.
pub(super) fn denied(script: &mut Script, call: &str, reply: &Reply) -> State {
    resume(script);
    script.tool_update(call, json!({ "status": "failed" }));
    State::Refused(match reply {
        Reply::Error(why) => format!("session/request_permission: {why}"),
        Reply::Result(result) if result["outcome"]["optionId"] == "no" => {
            "the permission was denied".to_owned()
        }
        Reply::Result(result) if result["outcome"]["outcome"] == "selected" => {
            "the question was answered with an option that was not offered".to_owned()
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
