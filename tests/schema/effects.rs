//! What updates do to the state of a session, as the schemas of version 2 say in `x-state`, against
//! what the model makes of them.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use acpcheck::{
    check::{EventKind, Settings},
    model::{
        Connection, Session,
        session::{messages::MessageKind, plans::PlanState},
    },
    protocol::Surface,
};
use serde_json::{Value, json};

use super::soundness::document;

/// What the model does not keep, and why.
const NOT_KEPT: [(&str, &str); 6] = [
    ("authStatus", "of the agent, not of a session; its rules look at each answer"),
    ("cursor", "a draft without a rule about what was there before"),
    ("promptSuggestions", "a draft without a rule about what was there before"),
    ("sessionInfo", "kept in part: the title that a client has set"),
    ("sessionMessage", "no rule asks which messages there were"),
    ("usage", "kept in part: the cost and its currency"),
];

/// One effect of an update.
struct Effect {
    kind: String,
    action: String,
    target: String,
    /// The path of the member that names the target; `None` where there is one only.
    id: Option<String>,
}

/// The effects of all kinds of update.
fn effects() -> Vec<Effect> {
    let document = document(Surface::V2Unstable);
    let branches = document["$defs"]["SessionUpdate"]["anyOf"].as_array().unwrap();
    let mut effects = Vec::new();
    for branch in branches {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let Some(kind) = text(&branch["properties"]["sessionUpdate"]["const"]) else { continue };
        let own = branch["x-state"].as_object().unwrap_or_else(|| panic!("{kind} has no effects"));
        for effect in own.values().flat_map(|list| list.as_array().unwrap()) {
            effects.push(Effect {
                kind: kind.clone(),
                action: text(&effect["action"]).unwrap(),
                target: text(&effect["target"]).unwrap(),
                id: text(&effect["id"]),
            });
        }
    }
    effects
}

/// An update of this kind, with this name at the path of its id, or as its only content.
fn update(kind: &str, id: Option<&str>, name: &str) -> Value {
    let text = json!({"type": "text", "text": "x"});
    let mut update = match kind {
        "user_message" | "agent_message" | "agent_thought" => json!({"content": [text]}),
        "user_message_chunk"
        | "agent_message_chunk"
        | "agent_thought_chunk"
        | "compaction_summary_chunk" => json!({"content": text}),
        "state_update" => json!({"state": if name == "a" { "running" } else { "idle" }}),
        "tool_call_update" => json!({"title": "x"}),
        "tool_call_content_chunk" => json!({"content": {"type": "content", "content": text}}),
        "terminal_update" => json!({"command": "x"}),
        "terminal_output_chunk" => json!({"data": "eA=="}),
        "plan_update" => json!({"plan": {"type": "markdown", "content": "x"}}),
        "available_commands_update" => json!({
            "availableCommands": [{"type": "command", "name": name, "description": "x"}]
        }),
        "config_option_update" => json!({
            "configOptions": [
                {"configId": name, "name": "x", "type": "boolean", "currentValue": true}
            ]
        }),
        "compaction_update" => json!({"status": "in_progress"}),
        "plan_removed" | "subagent_update" => json!({}),
        _ => panic!("what does `{kind}` look like?"),
    };
    if let Some(path) = id {
        let place = path.split('.').fold(&mut update, |value, member| &mut value[member]);
        *place = json!(name);
    }
    update["sessionUpdate"] = json!(kind);
    update
}

/// What the model has of a target in session `s`; `None` for a target that it does not keep.
fn kept(target: &str, session: &Session, connection: &Connection) -> Option<BTreeSet<String>> {
    let said = |voice| {
        let is_there = |id: &&str| session.messages.named(voice, id).is_some();
        ["a", "b"].into_iter().filter(is_there).map(str::to_owned).collect()
    };
    Some(match target {
        "userMessage" => said(MessageKind::User),
        "agentMessage" => said(MessageKind::Agent),
        "agentThought" => said(MessageKind::Thought),
        "toolCall" => session.tool_calls.iter().map(|(id, _)| id.to_owned()).collect(),
        "terminal" => session.agent_terminals.iter().map(|(id, _)| id.to_owned()).collect(),
        "compaction" => session.compactions.iter().map(|(id, _)| id.to_owned()).collect(),
        "plan" => {
            let shown = session.plans.named();
            let shown = shown.filter(|(_, plan)| matches!(plan.state, PlanState::Shown { .. }));
            shown.map(|(id, _)| id.to_owned()).filter(|id| id != "probe").collect()
        }
        "availableCommands" => {
            let names = session.commands.last().into_iter().flat_map(|it| it.names.iter());
            names.map(str::to_owned).collect()
        }
        "configOptions" => {
            let options = session.config.last().into_iter().flat_map(|it| it.options.iter());
            options.map(|option| option.id.to_string()).collect()
        }
        "subagent" => {
            let children = connection.sessions().filter(|(_, it)| it.parent.is_some());
            children.map(|(id, _)| id.to_owned()).collect()
        }
        "state" => {
            let name = if session.activity.is_active() { "a" } else { "b" };
            BTreeSet::from([name.to_owned()])
        }
        _ => return None,
    })
}

/// What the model has of a target after these updates.
fn after(target: &str, updates: &[Value]) -> Option<BTreeSet<String>> {
    let mut transcript =
        acpcheck::rule::opening::opening(Surface::V2, acpcheck::rule::Opening::Session);
    // One more update, of another plan, shows the state before it.
    let probe = json!({"sessionUpdate": "plan_update", "plan": {
        "type": "markdown", "planId": "probe", "content": ""
    }});
    for update in updates.iter().chain([&probe]) {
        let message = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": "s", "update": update
        }});
        transcript += &format!("{message}\n");
    }
    let state = Arc::new(Mutex::new(None));
    let (seen, target) = (Arc::clone(&state), target.to_owned());
    let mut check = crate::effort::begin(&Settings::default()).with_observer(move |event| {
        if matches!(event.kind, EventKind::Call { plan: Some(_), .. }) {
            *seen.lock().unwrap() = kept(&target, event.session().unwrap(), event.connection);
        }
    });
    check.feed(transcript.as_bytes());
    check.finish();
    let state = state.lock().unwrap();
    state.clone()
}

#[test]
fn the_model_does_what_the_schemas_say() {
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
    let mut count = 0;
    for Effect { kind, action, target, id } in effects() {
        if NOT_KEPT.iter().any(|(own, _)| *own == target) {
            continue;
        }
        let id = id.as_deref();
        let one = |name| update(&kind, id, name);
        let found = |updates: &[Value]| {
            after(&target, updates).unwrap_or_else(|| panic!("is `{target}` kept, or not?"))
        };
        let both = found(&[one("a"), one("b"), one("a")]);
        match (action.as_str(), id) {
            ("upsert" | "append" | "replace", Some(_)) => {
                assert_eq!(both, set(&["a", "b"]), "{kind}: one for each id");
            }
            ("replace", None) => assert_eq!(both, set(&["a"]), "{kind}: the last one only"),
            ("remove", Some(_)) => {
                let shown = |name| update("plan_update", Some("plan.planId"), name);
                let left = found(&[shown("a"), shown("b"), one("a")]);
                assert_eq!(left, set(&["b"]), "{kind}: the others stay");
            }
            _ => panic!("what does `{action}` do to `{target}`?"),
        }
        count += 1;
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn updates_belong_to_the_session_that_their_scope_names() {
    let document = document(Surface::V2Unstable);
    let scope = |name: &str| document["$defs"][name]["x-scope"]["session"].clone();
    for name in
        ["UpdateSessionNotification", "RequestPermissionRequest", "CreateElicitationRequest"]
    {
        assert_eq!(scope(name), json!(["sessionId"]), "{name}");
    }
    // The update names session `s`; the one beside it has nothing of it.
    let plan = update("plan_update", Some("plan.planId"), "a");
    assert_eq!(after("plan", &[plan]).unwrap().len(), 1);
}
