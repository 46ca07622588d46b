//! An agent that conforms, with switches that each plant one defect: the scenarios of `acpcheck drive`
//! find every defect, and nothing in the agent without one.

use std::{
    collections::VecDeque,
    mem,
    time::{Duration, Instant},
};

use acpcheck::{
    check::{self, Settings},
    drive::{self, Agent, PlayOptions, Player, Received, SCENARIOS, Stop},
    protocol::{Side, Version},
    record::{Driven, End, Recording},
    rule::Severity,
};
use serde_json::{Value, json};

/// The switches.
const DEFECTS: [&str; 32] = [
    "version-text",
    "no-auth-methods-array",
    "unknown-result",
    "unknown-internal-error",
    "unknown-in-data",
    "notification-answered",
    "answer-without-jsonrpc",
    "answer-twice",
    "id-as-string",
    "error-without-code",
    "list-unimplemented",
    "list-same-cursor",
    "list-deleted",
    "list-repeats-session",
    "session-id-given-twice",
    "mode-unknown-current",
    "option-any",
    "option-state-missing",
    "option-current-unknown",
    "unknown-session-loaded-null",
    "delete-unimplemented",
    "delete-twice-fails",
    "close-unimplemented",
    "cancel-error",
    "close-busy-error",
    "update-other-session",
    "update-after-answer",
    "plan-priority",
    "plan-without-content",
    "tool-call-unknown-status",
    "tool-call-update-first",
    "stop-reason-unknown",
];

/// What agents of one run store.
#[derive(Default)]
struct Store {
    /// The ids of sessions, and of the tool calls of their turns.
    sessions: Vec<(String, Vec<String>)>,
    number: u32,
}

/// One process after the other.
struct Planted {
    defects: Vec<&'static str>,
    store: Store,
    /// The sessions of this process that are open.
    open: Vec<String>,
    mode: String,
    level: String,
    /// How many tool calls there were.
    calls: u32,
    /// The prompt at work: its id and session.
    busy: Option<(Value, String)>,
    waiting: VecDeque<Value>,
    recording: Recording,
    bytes: Vec<u8>,
    done: Vec<Vec<u8>>,
    scenario: &'static drive::Scenario,
}

impl Planted {
    fn new(defects: &[&'static str], scenario: &'static drive::Scenario) -> Self {
        let mut planted = Self {
            defects: defects.to_vec(),
            store: Store::default(),
            open: Vec::new(),
            mode: String::new(),
            level: String::new(),
            calls: 0,
            busy: None,
            waiting: VecDeque::new(),
            recording: Recording::default(),
            bytes: Vec::new(),
            done: Vec::new(),
            scenario,
        };
        planted.begin();
        planted
    }

    fn has(&self, defect: &str) -> bool {
        self.defects.contains(&defect)
    }

    fn begin(&mut self) {
        "ask".clone_into(&mut self.mode);
        "low".clone_into(&mut self.level);
        let driven = Driven {
            run: "00000000000000aa",
            scenario: self.scenario.name,
            process: u32::try_from(self.done.len()).unwrap() + 1,
            plays: Side::Client,
            ends_anywhere: !self.scenario.must_survive,
            left_out: &[],
        };
        let at = "2026-11-28T00:00:00Z";
        Recording::start(at, "planted", 0, Some(&driven), &mut self.bytes).unwrap();
    }

    fn end(&mut self) {
        while let Some(message) = self.waiting.pop_front() {
            self.record(Side::Agent, &message.to_string());
        }
        for side in [Side::Client, Side::Agent] {
            self.recording.end(side, End::Eof, Duration::ZERO, &mut self.bytes).unwrap();
        }
        self.recording = Recording::default();
        self.done.push(mem::take(&mut self.bytes));
        (self.busy, self.open) = (None, Vec::new());
    }

    fn record(&mut self, sender: Side, message: &str) {
        let line = format!("{message}\n");
        self.recording.take(sender, line.as_bytes(), Duration::ZERO, &mut self.bytes).unwrap();
    }

    fn say(&mut self, message: Value) {
        self.waiting.push_back(message);
    }

    fn update(&mut self, session: &str, update: &Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.say(json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    fn answer(&mut self, id: &Value, answer: Result<Value, (i64, &str)>) {
        let mut message = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, text)) => json!({
                "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text },
            }),
        };
        if self.has("answer-without-jsonrpc") {
            message.as_object_mut().unwrap().remove("jsonrpc");
        }
        if self.has("id-as-string") {
            message["id"] = id.to_string().into();
            if message["id"] != *id {
                // The player waits for its own id.
                self.say(message.clone());
            }
            message["id"] = id.clone();
        }
        if self.has("error-without-code") && message.get("error").is_some() {
            message["error"].as_object_mut().unwrap().remove("code");
        }
        self.say(message.clone());
        if self.has("answer-twice") {
            self.say(message);
        }
    }

    fn modes(&self) -> Value {
        let current = if self.has("mode-unknown-current") { "dance" } else { &*self.mode };
        json!({ "currentModeId": current, "availableModes": [
            { "id": "ask", "name": "Ask" }, { "id": "code", "name": "Code" },
        ] })
    }

    fn options(&self) -> Value {
        let is_unknown = self.has("option-current-unknown");
        let current = if is_unknown { "middle" } else { &*self.level };
        json!([{ "id": "level", "name": "Level", "type": "select", "currentValue": current,
            "options": [{ "value": "low", "name": "Low" }, { "value": "high", "name": "High" }] }])
    }

    /// The result of what needs no turn.
    #[expect(clippy::too_many_lines, reason = "a flat list of methods")]
    fn result(&mut self, method: &str, params: &Value) -> Result<Value, (i64, &'static str)> {
        const NOT_FOUND: Result<Value, (i64, &str)> = Err((-32601, "Method not found"));
        const NO_SESSION: Result<Value, (i64, &str)> = Err((-32602, "no such session"));
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let is_open = self.open.contains(&session);
        match method {
            "initialize" => {
                let mut result = json!({
                    "protocolVersion": 1,
                    "agentCapabilities": { "loadSession": true, "sessionCapabilities": {
                        "list": {}, "close": {}, "delete": {}, "resume": {},
                    } },
                    "authMethods": [],
                    "agentInfo": { "name": "planted", "version": "1.0.0" },
                });
                if self.has("version-text") && params["protocolVersion"] == 65535 {
                    result["protocolVersion"] = "1".into();
                }
                if self.has("no-auth-methods-array") {
                    result["authMethods"] = json!({});
                }
                Ok(result)
            }
            "session/new" => {
                let is_same = self.has("session-id-given-twice");
                self.store.number += u32::from(!is_same || self.store.number == 0);
                let id = format!("sess_{:04}", self.store.number);
                if !is_same || !self.open.contains(&id) {
                    self.store.sessions.push((id.clone(), Vec::new()));
                    self.open.push(id.clone());
                }
                Ok(json!({
                    "sessionId": id, "modes": self.modes(), "configOptions": self.options(),
                }))
            }
            "session/list" if self.has("list-unimplemented") => NOT_FOUND,
            "session/list" => {
                let cwd = params["cwd"].as_str().unwrap_or("/work");
                if cwd != "/work" {
                    return Ok(json!({ "sessions": [] }));
                }
                let from: usize = params["cursor"].as_str().map_or(0, |it| it.parse().unwrap());
                let entry =
                    |(id, _): &(String, Vec<String>)| json!({ "sessionId": id, "cwd": "/work" });
                let all: Vec<Value> = self.store.sessions.iter().map(entry).collect();
                let mut page: Vec<_> = all.iter().skip(from).take(1).cloned().collect();
                if self.has("list-repeats-session") {
                    page.extend(page.first().cloned());
                }
                let mut result = json!({ "sessions": page });
                if from + 1 < all.len() {
                    let next = if self.has("list-same-cursor") { 0 } else { from + 1 };
                    result["nextCursor"] = next.to_string().into();
                }
                Ok(result)
            }
            "session/set_mode" if is_open => {
                let mode = params["modeId"].as_str().unwrap_or_default();
                if !["ask", "code"].contains(&mode) {
                    return Err((-32602, "no such mode"));
                }
                mode.clone_into(&mut self.mode);
                Ok(json!({}))
            }
            "session/set_config_option" if is_open => {
                let value = params["value"].as_str().unwrap_or_default();
                if !["low", "high"].contains(&value) && !self.has("option-any") {
                    return Err((-32602, "no such value"));
                }
                value.clone_into(&mut self.level);
                if self.has("option-state-missing") {
                    return Ok(json!({}));
                }
                Ok(json!({ "configOptions": self.options() }))
            }
            "session/close" if self.has("close-unimplemented") => NOT_FOUND,
            "session/close" if is_open => {
                self.open.retain(|open| *open != session);
                Ok(json!({}))
            }
            "session/delete" if self.has("delete-unimplemented") => NOT_FOUND,
            "session/delete" => {
                let is_there = self.store.sessions.iter().any(|(id, _)| *id == session);
                if !is_there && self.has("delete-twice-fails") {
                    return Err((-32002, "session not found"));
                }
                if !self.has("list-deleted") {
                    self.store.sessions.retain(|(id, _)| *id != session);
                }
                self.open.retain(|open| *open != session);
                Ok(json!({}))
            }
            "session/load" | "session/resume" => {
                let Some((_, calls)) =
                    self.store.sessions.iter().find(|(id, _)| *id == session).cloned()
                else {
                    let is_null = self.has("unknown-session-loaded-null");
                    return if is_null { Ok(json!([])) } else { NO_SESSION };
                };
                if method == "session/load" && !calls.is_empty() {
                    let text = |text: &str| json!({ "type": "text", "text": text });
                    for (kind, said) in
                        [("user_message_chunk", "Sweep."), ("agent_message_chunk", "Swept.")]
                    {
                        let content = text(said);
                        self.update(
                            &session,
                            &json!({ "sessionUpdate": kind, "content": content }),
                        );
                    }
                    for call in calls {
                        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": call,
                            "title": "Sweep", "kind": "execute", "status": "completed" });
                        self.update(&session, &call);
                    }
                }
                self.open.push(session);
                Ok(json!({ "modes": self.modes(), "configOptions": self.options() }))
            }
            _ if method.starts_with("session/") => NO_SESSION,
            _ if self.has("unknown-result") => Ok(json!({})),
            _ if self.has("unknown-internal-error") => Err((-32603, "Internal error")),
            _ => NOT_FOUND,
        }
    }

    /// Begins a turn; the long prompt stays at work until it is stopped.
    fn prompt(&mut self, id: &Value, params: &Value) {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        if !self.open.contains(&session) {
            return self.answer(id, Err((-32602, "no such session")));
        }
        if self.busy.is_some() {
            return self.answer(id, Err((-32600, "a turn is running")));
        }
        let other = if self.has("update-other-session") { "sess_9999" } else { &*session };
        let other = other.to_owned();
        let chunk = json!({ "type": "text", "text": "Swept." });
        let message = json!({ "sessionUpdate": "agent_message_chunk", "content": chunk });
        self.update(&other, &message);
        if params["prompt"][0]["text"] == "Sweep all." {
            self.busy = Some((id.clone(), session));
            return;
        }
        let entry = |content: &str, status: &str| {
            let priority = if self.has("plan-priority") { "huge" } else { "high" };
            json!({ "content": content, "priority": priority, "status": status })
        };
        let mut entries = vec![entry("Sweep", "pending"), entry("Mop", "pending")];
        self.update(&session, &json!({ "sessionUpdate": "plan", "entries": entries }));
        entries[0]["status"] = "completed".into();
        if self.has("plan-without-content") {
            entries[0].as_object_mut().unwrap().remove("content");
        }
        entries[1]["status"] = "completed".into();
        self.update(&session, &json!({ "sessionUpdate": "plan", "entries": entries }));
        self.calls += 1;
        let call_id = format!("call_{}", self.calls);
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": call_id, "title": "Sweep",
            "kind": "execute", "status": "pending" });
        if !self.has("tool-call-update-first") {
            self.update(&session, &call);
        }
        let status = if self.has("tool-call-unknown-status") { "swept" } else { "completed" };
        let call = json!({ "sessionUpdate": "tool_call_update", "toolCallId": call_id,
            "status": status });
        self.update(&session, &call);
        for (own, calls) in &mut self.store.sessions {
            if *own == session && !calls.contains(&call_id) {
                calls.push(call_id.clone());
            }
        }
        let reason = if self.has("stop-reason-unknown") { "tired" } else { "end_turn" };
        self.answer(id, Ok(json!({ "stopReason": reason })));
        if self.has("update-after-answer") {
            let call = json!({ "sessionUpdate": "tool_call_update", "toolCallId": call_id,
                "status": "in_progress" });
            self.update(&session, &call);
        }
    }

    fn stop(&mut self, session: &str, fails: bool) {
        let Some((id, _)) = self.busy.take_if(|(_, busy)| busy == session) else { return };
        if fails {
            self.answer(&id, Err((-32603, "the operation was aborted")));
        } else {
            self.answer(&id, Ok(json!({ "stopReason": "cancelled" })));
        }
    }
}

impl Agent for Planted {
    fn send(&mut self, line: &str) {
        self.record(Side::Client, line);
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let Some(method) = message["method"].as_str() else { return };
        let (params, session) = (&message["params"], message["params"]["sessionId"].as_str());
        let session = session.unwrap_or_default().to_owned();
        let Some(id) = message.get("id") else {
            match method {
                "session/cancel" => self.stop(&session, self.has("cancel-error")),
                "$/cancel_request" => {
                    if let Some((id, _)) = self.busy.take() {
                        self.answer(&id, Err((-32800, "Request cancelled")));
                    }
                }
                _ if self.has("notification-answered") => {
                    self.answer(&Value::Null, Err((-32601, "Method not found")));
                }
                _ => {}
            }
            return;
        };
        if method == "session/prompt" {
            return self.prompt(id, params);
        }
        if method == "session/close" {
            self.stop(&session, self.has("close-busy-error"));
        }
        if method.starts_with("_acpcheck/") && self.has("unknown-in-data") {
            self.say(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603,
                "message": "Internal error", "data": { "details": "Method not found" } } }));
            return;
        }
        let result = self.result(method, params);
        self.answer(id, result);
    }

    fn receive(&mut self, _: Instant) -> Received {
        match self.waiting.pop_front() {
            Some(message) => {
                self.record(Side::Agent, &message.to_string());
                Received::Message(message)
            }
            None => Received::Nothing,
        }
    }

    fn close_input(&mut self, _: Duration) -> Option<String> {
        Some("status 0".to_owned())
    }

    fn restart(&mut self) -> Result<(), Stop> {
        self.end();
        self.begin();
        Ok(())
    }

    /// The idle one says nothing more.
    fn start_another(&mut self) -> Result<(), Stop> {
        self.restart()
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

/// Plays all scenarios with the agent that has these defects. Returns the rules that find something of
/// it, from warnings on, with the scenario of each.
fn found(defects: &[&'static str]) -> Vec<String> {
    let options = PlayOptions {
        version: Version::V1,
        run: "00000000000000aa".to_owned(),
        cwd: "/work".to_owned(),
        prompt: Some("Sweep.".to_owned()),
        long_prompt: Some("Sweep all.".to_owned()),
        auth: None,
        allows: false,
        start_timeout: Duration::from_millis(50),
        timeout: Duration::from_millis(50),
        grace: Duration::from_millis(50),
    };
    let mut all = Vec::new();
    for scenario in SCENARIOS.iter().filter(|it| it.needs != drive::Need::Auth) {
        let mut agent = Planted::new(defects, scenario);
        let played = drive::play(scenario, &mut Player::new(&mut agent, &options));
        assert!(!matches!(played, Ok(drive::State::Done(ref why)) if why.contains("null")));
        if played.is_err() && scenario.must_survive {
            all.push(format!("{}: {played:?}", scenario.name));
        }
        agent.end();
        for bytes in &agent.done {
            let (found, _) = check::check(bytes, &Settings::default());
            let found = found.into_iter().filter(|found| found.severity >= Severity::Warning);
            all.extend(found.map(|found| format!("{}: {}", scenario.name, found.rule.id)));
        }
    }
    all.dedup();
    all
}

#[test]
fn an_agent_without_a_defect_is_faultless() {
    assert_eq!(found(&[]), [""; 0]);
}

#[test]
fn every_planted_defect_is_found() {
    let missed: Vec<_> = DEFECTS.into_iter().filter(|defect| found(&[defect]).is_empty()).collect();
    assert_eq!(missed, [""; 0]);
}

#[test]
fn defects_are_found_in_pairs() {
    // Forty pairs when thorough, so that each defect is in one at least.
    let pairs = super::effort::times(4, 40);
    for number in 0..pairs {
        let (one, other) = (number % DEFECTS.len(), (number * 7 + 11) % DEFECTS.len());
        if one != other {
            let pair = [DEFECTS[one], DEFECTS[other]];
            assert!(!found(&pair).is_empty(), "{pair:?}");
        }
    }
}
