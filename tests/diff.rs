//! Differences between releases: what was planted is named and nothing else, and two runs of one release
//! are silent.

use std::{collections::BTreeSet, sync::LazyLock};

use acpcheck::{
    check::{Check, Settings},
    diff::{self, Choice, Differences, Format, Recording},
    protocol::Side,
    redact::Redactor,
    report::TextStyle,
    transcript::Driven,
};
use serde_json::{Value, json};

use super::{
    effort,
    run::{assert_valid, folder, run},
};

/// A conversation, as the messages of both sides: who sends, and what.
#[derive(Clone, Default)]
struct Conversation {
    messages: Vec<(&'static str, Value)>,
    requests: u64,
}

impl Conversation {
    fn client(&mut self, message: Value) {
        self.messages.push(("c2a", message));
    }

    fn agent(&mut self, message: Value) {
        self.messages.push(("a2c", message));
    }

    /// A request of the client, and its answer.
    fn ask(&mut self, method: &str, params: &Value, result: &Value) {
        let id = self.open(method, params);
        self.agent(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn open(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.client(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn update(&mut self, session: &str, update: &Value) {
        let params = json!({"sessionId": session, "update": update});
        self.agent(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }

    /// A request of the agent, and its answer.
    fn request(&mut self, id: &str, method: &str, params: &Value, result: &Value) {
        self.agent(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.client(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn text(&self) -> String {
        let line = |(number, (dir, message)): (usize, &(&str, Value))| {
            format!("{}\n", json!({"t": number, "dir": dir, "msg": message}))
        };
        self.messages.iter().enumerate().map(line).collect()
    }
}

/// The capabilities of the client.
fn offer() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true})
}

fn open_session(talk: &mut Conversation, session: &str) {
    let info = json!({"name": "desk", "version": "2.0.0"});
    talk.ask(
        "initialize",
        &json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": offer()}),
        &json!({
            "protocolVersion": 1,
            "agentInfo": {"name": "garden", "version": "1"},
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": true},
                "sessionCapabilities": {"list": {}, "close": {}},
                "_meta": {"garden.example/rain": true},
            },
            "authMethods": [{"id": "key", "name": "Key"}, {"id": "web", "name": "Web"}],
        }),
    );
    talk.ask(
        "session/new",
        &json!({"cwd": "/work", "mcpServers": []}),
        &json!({
            "sessionId": session,
            "modes": {
                "currentModeId": "ask",
                "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
            },
            "configOptions": [
                {"id": "soil", "name": "Soil", "type": "select", "currentValue": "clay",
                 "options": [{"value": "clay", "name": "Clay"}, {"value": "sand", "name": "Sand"}]},
                {"id": "model", "name": "Model", "type": "select", "category": "model",
                 "currentValue": "fern",
                 "options": [{"value": "fern", "name": "Fern"}, {"value": "moss", "name": "Moss"}]},
            ],
        }),
    );
    let commands = json!([
        {"name": "water", "description": "Waters"},
        {"name": "weed", "description": "Weeds"},
    ]);
    let update =
        json!({"sessionUpdate": "available_commands_update", "availableCommands": commands});
    talk.update(session, &update);
}

fn tool_call(talk: &mut Conversation, session: &str, id: &str, kind: &str, chosen: &str) {
    let title = format!("{kind} beds.txt");
    talk.update(
        session,
        &json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": title, "kind": kind,
                "status": "pending", "locations": [{"path": "/work/beds.txt"}]}),
    );
    if kind != "read" {
        let option = |id: &str| json!({"optionId": id, "name": id, "kind": id});
        let options = ["allow_once", "allow_always", "reject_once"].map(option);
        talk.request(
            &format!("ask-{session}-{id}"),
            "session/request_permission",
            &json!({"sessionId": session, "toolCall": {"toolCallId": id}, "options": options}),
            &json!({"outcome": {"outcome": "selected", "optionId": chosen}}),
        );
    }
    if chosen == "reject_once" {
        let update =
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "failed"});
        talk.update(session, &update);
        return;
    }
    let content = if kind == "edit" {
        json!([{"type": "diff", "path": "/work/beds.txt", "oldText": "a", "newText": "b"}])
    } else {
        json!([{"type": "content", "content": {"type": "text", "text": "beds"}}])
    };
    for update in
        [json!({"status": "in_progress"}), json!({"status": "completed", "content": content})]
    {
        let mut update = update;
        update["sessionUpdate"] = "tool_call_update".into();
        update["toolCallId"] = id.into();
        talk.update(session, &update);
    }
}

fn chunk(talk: &mut Conversation, session: &str, kind: &str, text: &str) {
    let content = json!({"type": "text", "text": text});
    let update = json!({"sessionUpdate": kind, "messageId": "m-1", "content": content});
    talk.update(session, &update);
}

fn prompt(talk: &mut Conversation, session: &str) -> u64 {
    let prompt = json!([{"type": "text", "text": "Tend the garden."}]);
    talk.open("session/prompt", &json!({"sessionId": session, "prompt": prompt}))
}

fn stop(talk: &mut Conversation, id: u64, reason: &str) {
    talk.agent(json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": reason}}));
}

/// A turn with everything in it.
fn turn(talk: &mut Conversation, session: &str, tag: &str, chosen: &str) {
    let id = prompt(talk, session);
    chunk(talk, session, "agent_thought_chunk", "What grows here?");
    let entry = json!({"content": "Water", "priority": "high", "status": "pending"});
    talk.update(session, &json!({"sessionUpdate": "plan", "entries": [entry]}));
    let params = json!({"sessionId": session, "path": "/work/beds.txt"});
    talk.request(&format!("fs-{tag}"), "fs/read_text_file", &params, &json!({"content": "beds"}));
    tool_call(talk, session, &format!("read-{tag}"), "read", "allow_once");
    tool_call(talk, session, &format!("edit-{tag}"), "edit", chosen);
    tool_call(talk, session, &format!("run-{tag}"), "execute", chosen);
    chunk(talk, session, "agent_message_chunk", "Done.");
    stop(talk, id, "end_turn");
}

/// The scenarios, by name: those of one release in one run.
fn scenarios(run: &str) -> Vec<(String, Conversation)> {
    let mut scenarios = Vec::new();
    for (name, chosen) in [
        ("turn", "allow_once"),
        ("denied", "reject_once"),
        ("again", "allow_once"),
        ("more", "allow_once"),
    ] {
        let session = format!("{run}-{name}");
        let mut talk = Conversation::default();
        open_session(&mut talk, &session);
        turn(&mut talk, &session, "1", chosen);
        turn(&mut talk, &session, "2", chosen);
        let id = prompt(&mut talk, &session);
        chunk(&mut talk, &session, "agent_message_chunk", "One");
        let params = json!({"sessionId": session});
        talk.client(json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}));
        stop(&mut talk, id, "cancelled");
        talk.ask("session/list", &json!({}), &json!({"sessions": []}));
        let id = talk.open("session/set_mode", &json!({"sessionId": session, "modeId": "none"}));
        let error = json!({"code": -32602, "message": "no such mode"});
        talk.agent(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        scenarios.push((name.to_owned(), talk));
    }
    scenarios
}

fn recording(name: &str, text: &str) -> Recording {
    let (mut check, connections): (Check, _) = diff::watched(&Settings::default());
    check.feed(text.as_bytes());
    let (diagnostics, outcome) = check.finish();
    Recording::new(name.to_owned(), name.to_owned(), connections, &diagnostics, &outcome)
}

fn release(scenarios: &[(String, Conversation)]) -> Vec<Recording> {
    scenarios.iter().map(|(name, talk)| recording(name, &talk.text())).collect()
}

fn subjects(differences: &Differences) -> BTreeSet<String> {
    let kind = |it: &diff::Difference| format!("{:?}", it.kind).to_lowercase();
    let mark = |it: &diff::Difference| if it.is_breaking { "!" } else { "" };
    differences.all().map(|it| format!("{}{} {}", mark(it), kind(it), it.subject)).collect()
}

/// Changes each message of a conversation; `None` drops it.
fn altered(
    scenarios: &[(String, Conversation)],
    alter: impl Fn(&str, Value) -> Option<Value>,
) -> Vec<(String, Conversation)> {
    let mut scenarios = scenarios.to_vec();
    for (_, talk) in &mut scenarios {
        let messages = std::mem::take(&mut talk.messages).into_iter();
        talk.messages =
            messages.filter_map(|(dir, message)| Some((dir, alter(dir, message)?))).collect();
    }
    scenarios
}

/// Changes the value at a pointer wherever it is.
fn at(pointer: &'static str, change: impl Fn(&mut Value)) -> impl Fn(&str, Value) -> Option<Value> {
    move |_, mut message| {
        if let Some(value) = message.pointer_mut(pointer) {
            change(value);
        }
        Some(message)
    }
}

fn without(pointer: &'static str, member: &'static str) -> impl Fn(&str, Value) -> Option<Value> {
    at(pointer, move |value| {
        value.as_object_mut().map(|members| members.remove(member));
    })
}

const UPDATE: &str = "/params/update";

/// Changes the updates of a kind.
fn update(
    kind: &'static str,
    change: impl Fn(Value) -> Option<Value>,
) -> impl Fn(&str, Value) -> Option<Value> {
    move |_, mut message| {
        if message.pointer(UPDATE).is_some_and(|update| update["sessionUpdate"] == kind) {
            let update = change(message["params"]["update"].take())?;
            message["params"]["update"] = update;
        }
        Some(message)
    }
}

/// What is planted into the messages of a release.
type Change = Box<dyn Fn(&str, Value) -> Option<Value>>;

/// Changes of messages, each with the differences that it makes.
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn planted() -> Vec<(Change, &'static [&'static str])> {
    const CAPABILITIES: &str = "/result/agentCapabilities";
    let no_permission = |_: &str, message: Value| {
        let is_asked = message["method"] == "session/request_permission";
        let is_answer = message["result"]["outcome"].is_object();
        (!is_asked && !is_answer).then_some(message)
    };
    let refused = |_: &str, mut message: Value| {
        if message["result"]["sessions"].is_array() {
            message["error"] = json!({"code": -32603, "message": "no"});
            message.as_object_mut()?.remove("result");
        }
        Some(message)
    };
    let no_files = |_: &str, message: Value| {
        let is_call = message["method"] == "fs/read_text_file";
        (!is_call && !message["result"]["content"].is_string()).then_some(message)
    };
    vec![
        (Box::new(without(CAPABILITIES, "loadSession")), &["!gone capability loadSession"]),
        (
            Box::new(without(CAPABILITIES, "promptCapabilities")),
            &["!gone capability promptCapabilities"],
        ),
        (
            Box::new(at("/result/agentCapabilities/promptCapabilities/audio", |it| {
                *it = false.into();
            })),
            &["!gone capability promptCapabilities.audio"],
        ),
        (
            Box::new(at("/result/agentCapabilities/sessionCapabilities", |it| {
                it["fork"] = json!({});
            })),
            &["new capability sessionCapabilities.fork"],
        ),
        (Box::new(without(CAPABILITIES, "_meta")), &["gone extension garden.example/rain"]),
        (
            Box::new(at("/result/authMethods", |it| _ = it.as_array_mut().unwrap().pop())),
            &["!gone auth-method web"],
        ),
        (
            Box::new(at("/result/modes/availableModes", |it| _ = it.as_array_mut().unwrap().pop())),
            &["!gone mode code"],
        ),
        (
            Box::new(at("/result/modes/currentModeId", |it| *it = "code".into())),
            &["changed default mode"],
        ),
        (
            Box::new(at("/result/configOptions/0/options", |it| {
                _ = it.as_array_mut().unwrap().pop();
            })),
            &["!gone config-value soil=sand"],
        ),
        (
            Box::new(at("/result/configOptions/1/options/1/value", |it| *it = "ivy".into())),
            &["changed config-values model"],
        ),
        (
            Box::new(at("/result/configOptions/0", |it| {
                *it =
                    json!({"id": "soil", "name": "Soil", "type": "boolean", "currentValue": true});
            })),
            &["!changed config-option soil"],
        ),
        (
            Box::new(update("available_commands_update", |mut it| {
                it["availableCommands"][1]["name"] = "mow".into();
                Some(it)
            })),
            &["changed commands"],
        ),
        (
            Box::new(update("available_commands_update", |_| None)),
            &["!gone update available_commands_update"],
        ),
        (Box::new(refused), &["!gone answer session/list"]),
        (
            Box::new(at("/error/code", |it| *it = json!(-32601))),
            &["gone error-code session/set_mode -32602", "new error-code session/set_mode -32601"],
        ),
        (Box::new(no_permission), &["!gone permission edit", "!gone permission execute"]),
        (
            Box::new(at("/params/options", |it| _ = it.as_array_mut().unwrap().remove(1))),
            &["!gone permission-option allow_always"],
        ),
        (Box::new(update("plan", |_| None)), &["!gone update plan"]),
        (Box::new(no_files), &["!gone method fs/read_text_file"]),
        (
            Box::new(|_: &str, mut message: Value| {
                if message["result"]["stopReason"] == "cancelled" {
                    message["result"]["stopReason"] = "end_turn".into();
                }
                Some(message)
            }),
            &["!changed stop-reason cancelled-turn", "new cancel/wrong-stop-reason session/prompt"],
        ),
        (
            Box::new(|_: &str, mut message: Value| {
                if message["result"]["stopReason"] == "end_turn" {
                    message["result"]["stopReason"] = "max_tokens".into();
                }
                Some(message)
            }),
            &["gone stop-reason end_turn", "new stop-reason max_tokens"],
        ),
        (
            Box::new(|_: &str, mut message: Value| {
                let update = message.pointer_mut(UPDATE);
                update.and_then(|it| Some(it.as_object_mut()?.remove("messageId")));
                Some(message)
            }),
            &["gone member agent_message_chunk.messageId, agent_thought_chunk.messageId"],
        ),
        (
            Box::new(update("tool_call", |mut it| {
                it["rawInput"] = json!({"bed": 1});
                Some(it)
            })),
            &["new member tool_call.rawInput"],
        ),
        (
            Box::new(update("tool_call_update", |mut it| {
                if it["content"][0]["type"] == "diff" {
                    it["content"] =
                        json!([{"type": "content", "content": {"type": "text", "text": "+b"}}]);
                }
                Some(it)
            })),
            &["gone tool-content edit diff", "new tool-content edit content"],
        ),
        (
            Box::new(update("tool_call", |mut it| {
                it["status"] = "in_progress".into();
                Some(it)
            })),
            &["gone tool-starts pending"],
        ),
        (
            Box::new(|_: &str, mut message: Value| {
                if message["method"] == "session/update"
                    && message["params"]["update"]["entries"].is_array()
                {
                    message["params"]["update"]["entries"][0]["priority"] = "urgent".into();
                }
                Some(message)
            }),
            &["!new plan/closed-enum-value session/update"],
        ),
    ]
}

/// A release without changes, and some with planted ones, read once for all tests.
static OLD: LazyLock<Vec<Recording>> = LazyLock::new(|| release(&scenarios("old")));
static PLANTED: LazyLock<Vec<Planted>> = LazyLock::new(|| {
    let planted = planted().into_iter().enumerate();
    let planted = planted.map(|(number, (change, expected))| Planted {
        number,
        recordings: release(&altered(&scenarios("new"), change)),
        expected: expected.iter().map(|it| (*it).to_owned()).collect(),
    });
    effort::one_in(4, planted).collect()
});

/// A release with a planted change.
struct Planted {
    number: usize,
    recordings: Vec<Recording>,
    expected: BTreeSet<String>,
}

/// The recordings under names that no other release has.
fn renamed(recordings: &[Recording]) -> Vec<Recording> {
    let other = |it: &Recording| Recording { scenario: format!("{}-2", it.scenario), ..it.clone() };
    recordings.iter().map(other).collect()
}

fn between(old: &[Recording], new: &[Recording]) -> BTreeSet<String> {
    subjects(&diff::compare(old, new, &Choice::default()))
}

#[test]
fn planted_changes_are_named_and_nothing_else() {
    let mut wrong = Vec::new();
    for Planted { number, recordings, expected } in &*PLANTED {
        for (new, how) in [(recordings.clone(), "paired"), (renamed(recordings), "unpaired")] {
            let found = between(&OLD, &new);
            if found != *expected {
                wrong.push(format!("{number} {how}: {found:?} for {expected:?}"));
            }
        }
        let back = between(recordings, &OLD);
        if back.len() != expected.len() {
            wrong.push(format!("{number} turned round: {back:?} for {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Numbers that look random, the same in each run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Drops some of the messages that come when a model decides so: a tool call with all that belongs to it.
fn noisy(scenarios: &[(String, Conversation)], seed: u64) -> Vec<(String, Conversation)> {
    let mut state = seed;
    let mut scenarios = scenarios.to_vec();
    for (_, talk) in &mut scenarios {
        let mut dropped = BTreeSet::new();
        for (_, message) in &talk.messages {
            let update = &message["params"]["update"];
            let id = update["toolCallId"]
                .as_str()
                .or_else(|| message["params"]["toolCall"]["toolCallId"].as_str());
            if update["sessionUpdate"] == "tool_call" && random(&mut state).is_multiple_of(3) {
                dropped.insert(id.unwrap().to_owned());
            }
        }
        let mut is_answer_dropped = false;
        talk.messages.retain(|(_, message)| {
            let update = &message["params"]["update"];
            let id = update["toolCallId"]
                .as_str()
                .or_else(|| message["params"]["toolCall"]["toolCallId"].as_str());
            if std::mem::take(&mut is_answer_dropped) {
                return false;
            }
            if id.is_some_and(|id| dropped.contains(id)) {
                is_answer_dropped = message["method"] == "session/request_permission";
                return false;
            }
            let is_optional = ["agent_message_chunk", "agent_thought_chunk", "plan"]
                .iter()
                .any(|kind| update["sessionUpdate"] == *kind);
            !(is_optional && random(&mut state).is_multiple_of(3))
        });
    }
    scenarios
}

#[test]
fn two_runs_of_one_release_are_silent() {
    let (base, other) = (scenarios("old"), scenarios("new"));
    assert_eq!(between(&OLD, &release(&other)), BTreeSet::new());
    for seed in 0..effort::times(4, 60) as u64 {
        let (old, new) = (release(&noisy(&base, seed)), release(&noisy(&other, seed + 1000)));
        assert_eq!(between(&old, &new), BTreeSet::new(), "{seed}");
        assert_eq!(between(&old, &renamed(&new)), BTreeSet::new(), "{seed}, unpaired");
    }
}

#[test]
fn near_misses_are_silent() {
    let silent = |what: &str, change: Change| {
        let new = release(&altered(&scenarios("new"), change));
        assert_eq!(between(&OLD, &new), BTreeSet::new(), "{what}");
        assert_eq!(between(&new, &OLD), BTreeSet::new(), "{what}, turned round");
    };
    silent(
        "what is false or null is not advertised",
        Box::new(at("/result/agentCapabilities", |it| {
            it["mcpCapabilities"] = json!({"http": false});
            it["sessionCapabilities"]["fork"] = Value::Null;
        })),
    );
    silent(
        "an order of lists",
        Box::new(at("/result/modes/availableModes", |it| it.as_array_mut().unwrap().reverse())),
    );
    silent(
        "no edit at all",
        Box::new(|_: &str, message: Value| {
            let id = message.pointer("/params/update/toolCallId");
            let id = id.or_else(|| message.pointer("/params/toolCall/toolCallId"));
            let id = id.or_else(|| message.get("id")).and_then(Value::as_str).unwrap_or_default();
            (!id.contains("edit-")).then_some(message)
        }),
    );
    silent(
        "all that the user has allowed for good",
        Box::new(|_: &str, mut message: Value| {
            if message["result"]["outcome"]["optionId"] == "allow_once" {
                message["result"]["outcome"]["optionId"] = "allow_always".into();
            }
            let id = message["id"].as_str().unwrap_or_default();
            // The second turn asks no more.
            let is_later = id.starts_with("ask-") && id.ends_with("-2") && !id.contains("denied");
            (!is_later).then_some(message)
        }),
    );
    silent(
        "what an unequal offer of the client may explain",
        Box::new(|_: &str, mut message: Value| {
            if let Some(offer) = message.pointer_mut("/params/clientCapabilities") {
                *offer = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
            }
            Some(message)
        }),
    );
}

/// A recording of the agent `garden` on version 2, which has what `open_session` has on version 1.
/// `prompt`: what it advertises for prompts.
fn on_version_2(session: &str, prompt: &Value) -> String {
    let info = json!({"name": "garden", "version": "2"});
    let own = json!({"prompt": prompt, "mcp": {"stdio": {}}});
    let options = json!([
        {"configId": "soil", "name": "Soil", "type": "select", "currentValue": "clay",
         "options": [{"value": "clay", "name": "Clay"}, {"value": "sand", "name": "Sand"}]},
        {"configId": "model", "name": "Model", "type": "select", "category": "model",
         "currentValue": "fern",
         "options": [{"value": "fern", "name": "Fern"}, {"value": "moss", "name": "Moss"}]},
    ]);
    let chunk = json!({"type": "text", "text": "Dug."});
    let plan = json!({"planId": "p", "type": "items", "entries": []});
    [
        ("client", json!({"id": 0, "method": "initialize", "params": {
            "protocolVersion": 2, "info": {"name": "desk", "version": "2.0.0"}, "capabilities": {}}})),
        ("agent", json!({"id": 0, "result": {
            "protocolVersion": 2, "info": info, "capabilities": {"session": own},
            "authMethods": [{"type": "agent", "methodId": "key", "name": "Key"},
                            {"type": "agent", "methodId": "web", "name": "Web"}]}})),
        ("client", json!({"id": 1, "method": "session/new", "params": {"cwd": "/work", "mcpServers": []}})),
        ("agent", json!({"id": 1, "result": {"sessionId": session, "configOptions": options}})),
        ("client", json!({"id": 2, "method": "session/prompt", "params": {
            "sessionId": session, "prompt": [{"type": "text", "text": "Dig"}]}})),
        ("agent", json!({"id": 2, "result": {"messageId": "u"}})),
        ("agent", json!({"sessionUpdate": "user_message", "messageId": "u",
                         "content": [{"type": "text", "text": "Dig"}]})),
        ("agent", json!({"sessionUpdate": "state_update", "state": "running"})),
        ("agent", json!({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": chunk})),
        ("agent", json!({"sessionUpdate": "plan_update", "plan": plan})),
        ("agent", json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"})),
    ]
    .into_iter()
    .map(|(side, mut message)| {
        if message.get("sessionUpdate").is_some() {
            let params = json!({"sessionId": session, "update": message});
            message = json!({"method": "session/update", "params": params});
        }
        message["jsonrpc"] = "2.0".into();
        format!("{}\n", json!({"dir": format!("{side}->"), "msg": message}))
    })
    .collect()
}

#[test]
fn releases_of_two_protocol_versions_are_compared_by_what_both_have() {
    let new = |prompt: &Value| -> Vec<Recording> {
        let texts = (0..4).map(|number| {
            recording(&number.to_string(), &on_version_2(&format!("s{number}"), prompt))
        });
        texts.collect()
    };
    // What the new release really does no more, or does at last.
    let changed = BTreeSet::from([
        "!gone mode ask",
        "!gone mode code",
        "!gone update agent_thought_chunk",
        "!gone update available_commands_update",
        "!gone update tool_call",
        "gone extension garden.example/rain",
        "new capability sessionCapabilities.resume",
    ]);
    let both = between(&OLD, &new(&json!({"image": {}, "audio": {}})));
    assert_eq!(both.iter().map(|it| &**it).collect::<BTreeSet<_>>(), changed);
    let without = between(&OLD, &new(&json!({"image": {}})));
    assert!(without.contains("!gone capability promptCapabilities.audio"), "{without:?}");
    let differences = diff::compare(&OLD, &new(&json!({})), &Choice::default());
    let notes = &differences.implementations[0].notes;
    assert!(
        notes[0].starts_with("OLD speaks version 1 of the protocol, NEW version 2"),
        "{notes:?}"
    );
}

/// Recordings of one conversation, each under its name and in a session of its own.
fn talks(names: &[&str], talk: impl Fn(&mut Conversation, &str)) -> Vec<Recording> {
    let named = names.iter().map(|name| {
        let mut conversation = Conversation::default();
        open_session(&mut conversation, name);
        talk(&mut conversation, name);
        ((*name).to_owned(), conversation)
    });
    release(&named.collect::<Vec<_>>())
}

#[test]
fn a_load_that_replays_nothing_any_more_is_named() {
    let with = |parts: &'static [&'static str], late: bool, turns: usize| {
        talks(&["load"], move |talk, session| {
            for _ in 0..turns {
                let id = prompt(talk, session);
                chunk(talk, session, "agent_message_chunk", "Done.");
                stop(talk, id, "end_turn");
            }
            let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
            let id = talk.open("session/load", &params);
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {}});
            if late {
                talk.agent(answer.clone());
            }
            for part in parts {
                chunk(talk, session, part, "Done.");
            }
            if !late {
                talk.agent(answer);
            }
        })
    };
    let whole = &["user_message_chunk", "agent_message_chunk"];
    let (old, new) = (with(whole, false, 1), with(&[], false, 1));
    let found = between(&old, &new);
    assert!(found.contains("!gone replay"), "{found:?}");
    assert!(found.iter().all(|it| !it.contains("chunk")), "{found:?}");
    assert!(between(&new, &old).contains("new replay"));
    let is_silent = |one: &[Recording], other: &[Recording]| {
        [between(one, other), between(other, one)].iter().flatten().all(|it| !it.contains("replay"))
    };
    assert!(is_silent(&old, &with(&["agent_message_chunk"], false, 1)), "a part is a replay");
    assert!(is_silent(&old, &with(whole, true, 1)), "behind the answer");
    assert!(is_silent(&old, &with(&[], false, 0)), "a session without a turn");
}

#[test]
fn terminals_that_are_gone_are_one_line() {
    let run = |talk: &mut Conversation, session: &str, own: bool| {
        let id = prompt(talk, session);
        talk.update(
            session,
            &json!({"sessionUpdate": "tool_call", "toolCallId": "run", "title": "ls",
                    "kind": "execute", "status": "pending"}),
        );
        let mut content = json!({"type": "content", "content": {"type": "text", "text": "beds"}});
        let of = |terminal: Value| {
            let mut params = terminal;
            params["sessionId"] = session.into();
            params
        };
        let terminal = || of(json!({"terminalId": "t"}));
        if own {
            let created = json!({"terminalId": "t"});
            talk.request("c", "terminal/create", &of(json!({"command": "ls"})), &created);
            content = json!({"type": "terminal", "terminalId": "t"});
        }
        let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "run"});
        update["status"] = "in_progress".into();
        update["content"] = json!([content]);
        talk.update(session, &update);
        if own {
            talk.request("w", "terminal/wait_for_exit", &terminal(), &json!({"exitCode": 0}));
            talk.request("r", "terminal/release", &terminal(), &json!({}));
        }
        talk.update(
            session,
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "run",
                    "status": "completed"}),
        );
        stop(talk, id, "end_turn");
    };
    let names = ["one", "two", "three"];
    let old = talks(&names, |talk, session| run(talk, session, true));
    let new = talks(&names, |talk, session| run(talk, session, false));
    assert_eq!(
        between(&old, &new).iter().map(|it| &**it).collect::<Vec<_>>(),
        ["!gone method terminal/create", "new tool-content execute content"]
    );
    assert_eq!(
        between(&new, &old).iter().map(|it| &**it).collect::<Vec<_>>(),
        ["gone tool-content execute content", "new method terminal/create"]
    );
    let without = talks(&names, |talk, session| {
        run(talk, session, false);
        talk.messages[0].1["params"]["clientCapabilities"]["terminal"] = false.into();
    });
    assert_eq!(
        between(&old, &without).iter().map(|it| &**it).collect::<Vec<_>>(),
        ["new tool-content execute content"],
        "a client without terminals"
    );
}

#[test]
fn diffs_that_are_gone_are_one_line() {
    let edit = |talk: &mut Conversation, session: &str, content: Option<&Value>| {
        let id = prompt(talk, session);
        let mut update = json!({"sessionUpdate": "tool_call", "toolCallId": "edit", "title": "edit",
                                "kind": "edit", "status": "pending"});
        if let Some(content) = content {
            update["content"] = json!([content]);
        }
        talk.update(session, &update);
        for status in ["in_progress", "completed"] {
            talk.update(
                session,
                &json!({"sessionUpdate": "tool_call_update", "toolCallId": "edit",
                        "status": status}),
            );
        }
        stop(talk, id, "end_turn");
    };
    let names = ["one", "two", "three"];
    let diff = json!({"type": "diff", "path": "/work/beds.txt", "oldText": "a", "newText": "b"});
    let old = talks(&names, |talk, session| edit(talk, session, Some(&diff)));
    let new = talks(&names, |talk, session| edit(talk, session, None));
    assert_eq!(between(&old, &new), BTreeSet::from(["gone tool-content edit diff".to_owned()]));
}

#[test]
fn a_method_that_a_scenario_also_calls_in_vain_is_named() {
    let call = |talk: &mut Conversation, session: &str, mode: &str, is_known: bool| {
        let id = talk.open("session/set_mode", &json!({"sessionId": session, "modeId": mode}));
        let error = json!({"code": -32602, "message": "no such mode"});
        talk.agent(if is_known {
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        } else {
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        });
    };
    let release = |knows: bool| {
        let mut all = talks(&["modes"], |talk, session| call(talk, session, "code", knows));
        all.extend(talks(&["list"], |talk, session| call(talk, session, "none", false)));
        all
    };
    let found = between(&release(true), &release(false));
    assert_eq!(found, BTreeSet::from(["!gone answer session/set_mode".to_owned()]));
    let found = between(&release(false), &release(true));
    assert_eq!(found, BTreeSet::from(["new answer session/set_mode".to_owned()]));
    assert_eq!(between(&release(true), &release(true)), BTreeSet::new());
}

#[test]
fn modes_become_an_option() {
    let change = at("/result", |result| {
        if result["modes"].is_object() {
            result.as_object_mut().unwrap().remove("modes");
            let options =
                json!([{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]);
            result["configOptions"].as_array_mut().unwrap().push(json!({
                "id": "mode", "name": "Mode", "category": "mode", "type": "select",
                "currentValue": "ask", "options": options,
            }));
        }
    });
    let new = altered(&scenarios("new"), change);
    let found = between(&OLD, &release(&new));
    assert_eq!(found, BTreeSet::from(["!moved modes to config-option mode".to_owned()]));
}

#[test]
fn a_redacted_release_compares_as_the_plain_one() {
    let plain = scenarios("old");
    let mut redactor = Redactor::default();
    let mut redacted = Vec::new();
    for (name, talk) in &plain {
        let text = talk.text();
        let new = redactor.redact(text.as_bytes(), &Settings::default()).unwrap();
        let text = String::from_utf8(new.bytes).unwrap();
        assert!(!text.contains("beds.txt"));
        redacted.push(recording(name, &text));
    }
    assert_eq!(between(&redacted, &OLD), BTreeSet::new());
    for Planted { recordings, expected, .. } in &*PLANTED {
        assert_eq!(between(&redacted, recordings), *expected);
        assert_eq!(between(recordings, &redacted), between(recordings, &OLD));
    }
}

#[test]
fn a_new_error_stands_below_breaking_and_narrow_lines_are_broken() {
    let urgent = at("/params/update/entries/0/priority", |it| *it = "urgent".into());
    let new = release(&altered(&scenarios("new"), urgent));
    let differences = diff::compare(&OLD, &new, &Choice::default());
    let text = differences.written(Format::Text, TextStyle::PLAIN, false);
    assert!(text.contains("\nbreaking\n  error  plan/closed-enum-value"), "{text}");
    assert!(text.contains("\nCounts: the recordings that show it") && !text.contains("findings\n"));
    let markdown = differences.written(Format::Markdown, TextStyle::PLAIN, false);
    assert!(markdown.contains("\nCounts: ") && markdown.contains("| breaking |"), "{markdown}");
    let narrow = TextStyle { color: false, columns: Some(60) };
    let narrow = differences.written(Format::Text, narrow, true);
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let whole = differences.written(Format::Text, TextStyle::PLAIN, true);
    assert_eq!(words(&narrow), words(&whole));
}

#[test]
fn a_played_scenario_with_two_recordings_counts_once() {
    let driven = |process| {
        Some(Driven {
            run: "1".into(),
            scenario: "sessions".into(),
            process,
            plays: Side::Client,
            ends_anywhere: false,
            left_out: Vec::new(),
        })
    };
    let mut played = OLD.clone();
    played[0].driven = driven(1);
    played[1].driven = driven(2);
    let differences = diff::compare(&played, &played, &Choice::default());
    assert_eq!(differences.implementations[0].scenarios, Some(3));
    assert_eq!(differences.implementations[0].old_recordings, 4);
}

#[test]
fn the_command_says_what_has_changed() {
    let old = &scenarios("old")[..2];
    let new = &scenarios("new")[..2];
    let new = altered(new, without("/result/agentCapabilities", "loadSession"));
    let file = |side: &str, (name, talk): &(String, Conversation)| {
        (format!("{side}/{name}.ndjson"), talk.text())
    };
    let files: Vec<_> =
        old.iter().map(|it| file("old", it)).chain(new.iter().map(|it| file("new", it))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = folder(&[&files[..], &[("none/notes.txt", "nothing")]].concat());
    let diff = |arguments: &[&str]| run(folder.path(), &[&["diff"], arguments].concat(), b"");

    let text = diff(&["old", "new"]);
    insta::assert_snapshot!("diff_text", text.stdout);
    assert_eq!((text.status, &*text.stderr), (1, ""));
    assert_eq!(diff(&["new", "old"]).status, 0, "an addition breaks nothing");
    assert_eq!(diff(&["new", "old", "--fail-on-change=any"]).status, 1);
    assert_eq!(diff(&["new", "old", "--fail-on-change=changed"]).status, 0);
    assert_eq!(diff(&["old", "new", "--fail-on-change=never"]).status, 0);
    assert_eq!(diff(&["old", "old", "--fail-on-change=any"]).status, 0);
    let same = diff(&["old", "old"]).stdout;
    assert!(same.contains("No change."), "{same}");

    let json = diff(&["old", "new", "--format=json"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    let schema = serde_json::from_str(include_str!("../schema/diff.schema.json")).unwrap();
    assert_valid(&schema, &document);
    assert_eq!(document["changes"][0]["subject"], "capability loadSession");
    assert_eq!(document["changes"][0]["old"]["place"]["line"], 2);
    let markdown = diff(&["old", "new", "--format=markdown", "-o", "change.md"]);
    assert_eq!((markdown.status, &*markdown.stdout), (1, ""));
    let page = std::fs::read_to_string(folder.path().join("change.md")).unwrap();
    insta::assert_snapshot!("diff_markdown", page);

    assert_eq!(diff(&["old", "none"]).status, 3);
    assert_eq!(diff(&["old", "nowhere"]).status, 3);
    assert_eq!(diff(&["old"]).status, 2);
    assert_eq!(diff(&["old", "new", "--fail-on=error"]).status, 2);
    let other = diff(&["old", "new", "--agent=nobody"]);
    assert_eq!(other.status, 2, "{}", other.stderr);
}
