//! The scenarios of `acpcheck drive`, played with the agents of the fixtures: what an agent does wrong
//! there is found in the recording of the run, wherever a scenario reaches it.

#[path = "driven/gardener.rs"]
mod gardener;
#[path = "driven/switches.rs"]
mod switches;

use std::{
    collections::VecDeque,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use acpcheck::{
    check::Settings,
    drive::{self, Agent, PlayOptions, Player, Received, Stop},
    protocol::{Side, Version},
    record::{End, Recording},
};
use serde_json::{Value, json};

/// An agent that says what the agent of a fixture says, when it is asked the same.
struct Replay {
    /// What the fixture's client and agent say, as far as it was not played.
    script: VecDeque<(Side, Value)>,
    /// What the player has not received.
    waiting: VecDeque<Value>,
    recording: Recording,
    bytes: Vec<u8>,
}

impl Replay {
    fn of(fixture: &str) -> Self {
        let mut asked = Vec::new();
        let messages = fixture.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let script = messages.map(|message| {
            let of_agent = ["session/update", "session/request_permission", "fs/", "terminal/"];
            let sender = match message["method"].as_str() {
                Some(method) if of_agent.iter().any(|own| method.starts_with(own)) => Side::Agent,
                Some(_) => {
                    asked.push(message["id"].clone());
                    Side::Client
                }
                None if asked.contains(&message["id"]) => Side::Agent,
                None => Side::Client,
            };
            (sender, message)
        });
        let script = script.collect();
        let mut bytes = Vec::new();
        Recording::start("2026-11-28T00:00:00Z", "replay", 0, None, &mut bytes).unwrap();
        Self { script, waiting: VecDeque::new(), recording: Recording::default(), bytes }
    }

    fn say(&mut self, sender: Side, message: &str) {
        let line = format!("{message}\n");
        self.recording.take(sender, line.as_bytes(), Duration::ZERO, &mut self.bytes).unwrap();
    }

    /// Plays what the fixture's agent says up to its answer to this request; without such a request, an
    /// answer that every agent could give.
    fn reply(&mut self, method: &str, id: &Value) {
        let is_it = |(sender, message): &(Side, Value)| {
            *sender == Side::Client && message["method"] == method
        };
        let Some(place) = self.script.iter().position(is_it) else {
            let answer = match method {
                "initialize" => json!({ "result": {
                    "protocolVersion": 1,
                    "agentCapabilities": {},
                    "authMethods": [],
                    "agentInfo": { "name": "replay", "version": "1" },
                } }),
                "session/new" => json!({ "result": { "sessionId": "s" } }),
                "session/prompt" => json!({ "result": { "stopReason": "end_turn" } }),
                _ => json!({ "error": { "code": -32601, "message": "Method not found" } }),
            };
            let mut answer = answer;
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = id.clone();
            self.waiting.push_back(answer);
            return;
        };
        let own = self.script[place].1["id"].clone();
        self.script.drain(..=place);
        while let Some((sender, message)) = self.script.front() {
            if *sender == Side::Client && message.get("method").is_some() {
                // Something else must be asked first.
                return;
            }
            let mut message = message.clone();
            let is_answer = *sender == Side::Agent && message.get("method").is_none();
            let is_own = is_answer && message["id"] == own;
            if is_own {
                message["id"] = id.clone();
            }
            if *sender == Side::Agent {
                self.waiting.push_back(message);
            }
            self.script.pop_front();
            if is_own {
                break;
            }
        }
        // What follows without being asked for.
        while let Some((Side::Agent, message)) = self.script.front() {
            self.waiting.push_back(message.clone());
            self.script.pop_front();
        }
    }

    fn finish(mut self) -> Vec<u8> {
        while let Some(message) = self.waiting.pop_front() {
            self.say(Side::Agent, &message.to_string());
        }
        for side in [Side::Client, Side::Agent] {
            self.recording.end(side, End::Eof, Duration::ZERO, &mut self.bytes).unwrap();
        }
        self.bytes
    }
}

impl Agent for Replay {
    fn send(&mut self, line: &str) {
        self.say(Side::Client, line);
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        if let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) {
            self.reply(method, id);
        }
    }

    fn receive(&mut self, _: Instant) -> Received {
        match self.waiting.pop_front() {
            Some(message) => {
                self.say(Side::Agent, &message.to_string());
                Received::Message(message)
            }
            None => Received::Nothing,
        }
    }

    fn close_input(&mut self, _: Duration) -> Option<String> {
        Some("status 0".to_owned())
    }

    fn restart(&mut self) -> Result<(), Stop> {
        Err(Stop::Ended)
    }

    fn start_another(&mut self) -> Result<(), Stop> {
        Err(Stop::Ended)
    }

    fn mcp_server(&self) -> Option<Value> {
        None
    }

    fn mcp_calls(&self) -> Vec<String> {
        Vec::new()
    }

    fn read_file(&self, _: &str) -> Result<String, String> {
        Err("no such file".to_owned())
    }

    fn write_file(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}

fn options() -> PlayOptions {
    PlayOptions {
        version: Version::V1,
        run: "00000000000000aa".to_owned(),
        cwd: "/work".to_owned(),
        prompt: Some("Sweep.".to_owned()),
        long_prompt: Some("Sweep all.".to_owned()),
        auth: None,
        allows: true,
        start_timeout: Duration::from_secs(5),
        timeout: Duration::from_secs(5),
        grace: Duration::from_secs(1),
    }
}

/// Plays a scenario with the agent of a fixture. Returns the rules that the agent violates, and
/// whether all that it says in the fixture was played.
fn play(scenario: &str, fixture: &str) -> (Vec<&'static str>, bool) {
    let options = options();
    let mut agent = Replay::of(fixture);
    let mut player = Player::new(&mut agent, &options);
    let _ = (drive::find(scenario).unwrap().play)(&mut player);
    let is_played = !agent.script.iter().any(|(sender, _)| *sender == Side::Agent);
    let bytes = agent.finish();
    let (found, _) = crate::effort::check(&bytes, &Settings::default());
    let found = found.into_iter().filter(|found| found.bound == Some(Side::Agent));
    (found.map(|found| found.rule.id).collect(), is_played)
}

/// The fixtures that a turn can show, since their client sends nothing else, each with its rule.
fn fixtures(beginning: &str) -> Vec<(String, PathBuf)> {
    const SENT: [&str; 3] = ["initialize", "session/new", "session/prompt"];
    let is_a_turn = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut methods = messages.filter_map(|it| it["method"].as_str().map(str::to_owned));
        methods.all(|it| SENT.contains(&&*it) || it == "session/update")
    };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut found = Vec::new();
    for family in ["plan", "tool-call", "session", "command"] {
        for rule in fs::read_dir(root.join(family)).unwrap().flatten() {
            for file in fs::read_dir(rule.path()).unwrap().flatten() {
                let name = file.file_name().into_string().unwrap();
                if name.starts_with(beginning) && name.ends_with(".v1.ndjson") {
                    let id = format!("{family}/{}", rule.file_name().to_str().unwrap());
                    found.extend(is_a_turn(&file.path()).then(|| (id, file.path())));
                }
            }
        }
    }
    found.sort();
    found
}

#[test]
fn planted_faults_are_found_where_a_scenario_reaches_them() {
    let (mut reached, mut missed) = (0, Vec::new());
    for (rule, path) in fixtures("bad-") {
        let text = fs::read_to_string(&path).unwrap();
        let Some((_, known)) = acpcheck::rules::find(&rule) else { continue };
        let is_off = known.severity.v1 == acpcheck::rule::Severity::Off;
        // No move of a scenario makes what these need: a second process, or a made-up id.
        let is_of_story = ["session/replay-incomplete", "session/unknown-load-accepted"];
        if known.binds != acpcheck::rule::Bound::Agent || is_off || is_of_story.contains(&&*rule) {
            continue;
        }
        let (found, is_played) = play("turn", &text);
        if is_played {
            reached += 1;
            if !found.contains(&&*rule) {
                missed.push(path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_owned());
            }
        }
    }
    assert!(reached > 20, "{reached}");
    assert!(missed.is_empty(), "{} of {reached}: {missed:#?}", missed.len());
}

#[test]
fn agents_that_conform_have_no_errors() {
    for (rule, path) in fixtures("good-") {
        let text = fs::read_to_string(&path).unwrap();
        let (found, is_played) = play("turn", &text);
        assert!(!is_played || !found.contains(&&*rule), "{}", path.display());
    }
}

#[test]
fn names_of_scenarios_are_unique_and_their_words_are_in_order() {
    let mut names: Vec<_> = drive::SCENARIOS.iter().map(|scenario| scenario.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), drive::SCENARIOS.len());
    for scenario in drive::SCENARIOS {
        assert!(!scenario.summary.ends_with('.') && scenario.explanation.ends_with('.'));
    }
}
