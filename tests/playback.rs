//! Recordings whose agent's side is played again: the agent says the same, with the ids and folders of the
//! live connection.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use acpcheck::{
    check::Settings,
    play::{Agent, Link, Menu, PlayOptions, Playback, Played, Recorded, Wire},
    protocol::{Side, Version},
    record::{Driven, End},
};
use serde_json::{Value, json};

use crate::{effort, fixtures};

fn recorded(transcript: &str) -> Recorded {
    Recorded::read(transcript.as_bytes(), &Settings::default()).unwrap()
}

/// The messages of a transcript of bare lines, each with whether the client sends it.
fn messages(transcript: &str) -> Option<Vec<(bool, Value)>> {
    let mut asked = Vec::new();
    let mut messages = Vec::new();
    for line in transcript.lines() {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_clients = match message["method"].as_str() {
            Some("terminal/cancel") => return None,
            Some("session/update" | "session/request_permission" | "elicitation/create") => false,
            Some(method) if method.starts_with("fs/") || method.starts_with("terminal/") => false,
            Some(
                "initialize"
                | "session/new"
                | "session/load"
                | "session/resume"
                | "session/list"
                | "session/close"
                | "session/delete"
                | "session/prompt"
                | "session/cancel"
                | "session/set_mode"
                | "session/set_config_option",
            ) => {
                asked.push(message["id"].clone());
                true
            }
            Some(_) => return None,
            None if message.get("method").is_some() => return None,
            None => !asked.contains(message.get("id")?),
        };
        messages.push((is_clients, message));
    }
    Some(messages)
}

/// What the agent has said, and how the playback went.
#[derive(Debug, Default)]
struct Said {
    messages: Vec<Value>,
    states: Vec<Played>,
}

struct Ear(Arc<Mutex<Said>>);

impl Wire for Ear {
    fn record(&mut self, _: Side, _: &[u8]) {}

    fn send(&mut self, bytes: Vec<u8>) {
        let lines = bytes.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n');
        let messages = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap());
        self.0.lock().unwrap().messages.extend(messages);
    }

    fn scenario(&mut self, played: &Played) {
        self.0.lock().unwrap().states.push(played.clone());
    }

    fn end(&mut self, _: Side, _: End) {}
}

/// Plays a recording for a client that says what `client` makes of the recorded client's messages.
fn play(transcript: &str, client: impl Fn(&Value) -> Value) -> Said {
    const LONG: Duration = Duration::from_secs(30);
    let driven = Driven {
        run: "0000000000000000",
        scenario: "playback",
        process: 1,
        plays: Side::Agent,
        ends_anywhere: false,
        left_out: &[],
    };
    let said = Arc::new(Mutex::new(Said::default()));
    let wire = Box::new(Ear(Arc::clone(&said)));
    let link = Arc::new(Link::new(wire, &Settings::default(), &driven));
    let options = PlayOptions {
        recording: None,
        newest: Version::V2,
        menu: Menu::default(),
        timeout: LONG,
        patience: LONG,
        stop_within: LONG,
        cwd: "/home/ada".to_owned(),
        seed: 1,
        playback: Some(recorded(transcript)),
    };
    let mut agent = Agent::new(Arc::clone(&link), options);
    for (_, message) in messages(transcript).unwrap().iter().filter(|(is_clients, _)| *is_clients) {
        let line = format!("{}\n", client(message));
        let found = link.hear(line.as_bytes());
        agent.take(line.as_bytes(), &found);
    }
    agent.end();
    link.finish();
    std::mem::take(&mut *said.lock().unwrap())
}

/// The transcripts of bare lines in which each message tells who sends it.
fn transcripts() -> Vec<String> {
    let mut all = Vec::new();
    for (_, path) in fixtures::fixtures() {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let Some(messages) = messages(&text) else { continue };
        let starts = messages.iter().filter(|(_, it)| it["method"] == "initialize").count();
        let mut asked: Vec<_> = messages
            .iter()
            .filter(|(_, it)| it["method"].is_string() && it.get("id").is_some())
            .map(|(is_clients, it)| (is_clients, it["id"].to_string()))
            .collect();
        let count = asked.len();
        asked.sort_by(|one, other| one.1.cmp(&other.1));
        asked.dedup_by(|one, other| one.1 == other.1);
        let says = messages.iter().any(|(is_clients, _)| !is_clients);
        // Ids that may be written in several ways, or that are null, come back in one way.
        let is_plain = |id: &Value| {
            let text = id.to_string();
            let is_like =
                |own: &str| own != text && own.trim_matches('"') == text.trim_matches('"');
            let is_usual = id.is_string() || id.is_u64() || id.is_i64();
            is_usual && !asked.iter().any(|(_, own)| is_like(own))
        };
        let are_plain = messages.iter().all(|(_, it)| it.get("id").is_none_or(is_plain));
        if are_plain
            && starts == 1
            && messages[0].1["method"] == "initialize"
            && asked.len() == count
            && says
        {
            all.push(text);
        }
    }
    all
}

#[test]
fn the_agent_says_the_same_again() {
    let mut played = 0;
    let mut wrong = Vec::new();
    for transcript in effort::one_in(20, transcripts()) {
        let agents =
            messages(&transcript).unwrap().into_iter().filter(|(is_clients, _)| !is_clients);
        let agents: Vec<_> = agents.map(|(_, message)| message).collect();
        let Said { messages, states } = play(&transcript, Value::clone);
        if messages != agents || states.len() != 1 || states[0].state != "done" {
            wrong.push(format!("{transcript}{states:?}\n{messages:#?}"));
        }
        played += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(played > 50, "{played}");
}

const LOADED: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}
{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"old","cwd":"/home/ada/kiln","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"tool_call","toolCallId":"old","title":"Read /home/ada/kiln","locations":[{"path":"/home/ada/kiln/a.txt"},{"path":"/home/ada/kiln-2/a.txt"}]}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"old","prompt":[]}}
{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"old","path":"/home/ada/kiln/b.txt"}}
{"jsonrpc":"2.0","id":7,"result":{"content":""}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"#;

#[test]
fn ids_sessions_and_folders_become_those_of_the_client() {
    let said = play(LOADED, |message| {
        let mut message = message.clone();
        if message["method"].is_string() {
            message["id"] = format!("live-{}", message["id"]).into();
            if message["params"]["sessionId"].is_string() {
                message["params"]["sessionId"] = "new".into();
            }
            if message["params"]["cwd"].is_string() {
                message["params"]["cwd"] = "/tmp/w/".into();
            }
        }
        message
    })
    .messages;
    let text = |at: usize, pointer: &str| said[at].pointer(pointer).unwrap().clone();
    assert_eq!(said.len(), 5);
    assert_eq!(text(0, "/id"), "live-0");
    assert_eq!(text(1, "/params/sessionId"), "new");
    assert_eq!(text(1, "/params/update/toolCallId"), "old");
    assert_eq!(text(1, "/params/update/locations/0/path"), "/tmp/w/a.txt");
    assert_eq!(text(1, "/params/update/locations/1/path"), "/home/ada/kiln-2/a.txt");
    assert_eq!(text(3, "/params/path"), "/tmp/w/b.txt");
    assert_eq!((text(3, "/id"), text(4, "/id")), (json!(7), json!("live-2")));
}

#[test]
fn a_step_is_said_only_when_the_client_has_said_what_stands_before_it() {
    let mut playback = Playback::new(recorded(LOADED));
    let ask = |id: u64, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} });
    assert!(playback.say().is_empty());
    // The recording has no such request.
    assert!(!playback.request(&ask(1, "session/list")));
    // It comes later in the recording.
    assert!(playback.request(&ask(2, "session/prompt")));
    assert!(playback.say().is_empty());
    assert!(playback.request(&ask(3, "initialize")));
    assert_eq!(playback.say().len(), 1);
    assert!(playback.request(&ask(4, "session/load")));
    // The request that came early is taken now, and its file is waited for.
    assert_eq!(playback.say().len(), 3);
    playback.answer(&json!(8));
    assert!(playback.say().is_empty());
    playback.answer(&json!(7));
    assert_eq!(playback.say()[0].message["id"], 2);
    assert!(playback.is_done());
    let end = playback.end(true);
    assert_eq!((end.played.state, end.open.len()), ("done", 0));
}

#[test]
fn the_end_of_a_playback_names_what_is_missing() {
    let ended = |steps: usize, is_closed: bool| {
        let mut playback = Playback::new(recorded(LOADED));
        for method in ["initialize", "session/load", "session/prompt"].iter().take(steps) {
            playback.request(&json!({ "id": 1, "method": method, "params": {} }));
            playback.say();
        }
        let end = playback.end(is_closed);
        (end.played.state, end.played.step)
    };
    assert_eq!(ended(1, true), ("not played", "`session/load` never came".to_owned()));
    assert_eq!(ended(3, true), ("ended", "fs/read_text_file".to_owned()));
    assert_eq!(ended(3, false), ("silent", "fs/read_text_file".to_owned()));
    let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n";
    let why = Recorded::read(request, &Settings::default());
    assert_eq!(why.err(), Some("no message of an agent is recorded".to_owned()));
}
