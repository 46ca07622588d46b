//! An agent of both versions, in memory, that does all that the scenarios of `drive` ask for. Each of its
//! defects is a name in a list: without them it conforms.
#![expect(clippy::needless_pass_by_value, reason = "messages are made where they are sent")]

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, VecDeque},
    rc::Rc,
    time::{Duration, Instant},
};

use acpcheck::{
    drive::{self, Received, Stop},
    protocol::{Side, Version},
    record::{Driven, End, Recording},
};
use serde_json::{Value, json};

/// What the processes of an agent share: the sessions on its disk.
#[derive(Debug, Default)]
pub(super) struct Store {
    sessions: BTreeMap<String, Stored>,
    created: u32,
    /// How many processes there were.
    processes: u32,
}

#[derive(Clone, Debug)]
struct Stored {
    cwd: String,
    /// The updates that tell the conversation again.
    history: Vec<Value>,
    mode: String,
    size: String,
    is_deleted: bool,
    order: u32,
}

impl Stored {
    fn new() -> Self {
        Self {
            cwd: "/work".to_owned(),
            history: Vec::new(),
            mode: "ask".to_owned(),
            size: "small".to_owned(),
            is_deleted: false,
            order: 0,
        }
    }
}

/// What a turn waits for.
#[derive(Debug, PartialEq, Eq)]
enum Wait {
    /// That the client cancels the work.
    Cancel,
    Permission,
    /// The answer to a request, and the step behind it.
    Answer(u32),
}

#[derive(Debug)]
struct Turn {
    session: String,
    prompt: Value,
    message: String,
    wait: Wait,
    /// The id of the request that it waits for.
    asked: Value,
    is_cancelled: bool,
    call: String,
    /// Whether the client has cancelled the tool call alone.
    is_call_over: bool,
    terminal: Value,
}

pub(super) struct Gardener {
    version: Version,
    defects: BTreeSet<&'static str>,
    store: Rc<RefCell<Store>>,
    /// The version of this connection.
    speaks: Version,
    client: Value,
    open: BTreeSet<String>,
    turns: Vec<Turn>,
    /// What the player has not received: lines.
    waiting: VecDeque<String>,
    next_id: u32,
    numbers: u32,
    scenario: &'static str,
    recording: Recording,
    /// How long the connection lasts: waiting takes no time of the test.
    clock: Duration,
    bytes: Vec<u8>,
    /// The recordings of earlier processes.
    pub(super) recordings: Vec<Vec<u8>>,
}

pub(super) const RUN: &str = "00000000000000aa";

impl Gardener {
    pub(super) fn new(
        version: Version,
        defects: &[&'static str],
        scenario: &'static str,
        store: &Rc<RefCell<Store>>,
    ) -> Self {
        let mut agent = Self {
            version,
            defects: defects.iter().copied().collect(),
            store: Rc::clone(store),
            speaks: version,
            client: Value::Null,
            open: BTreeSet::new(),
            turns: Vec::new(),
            waiting: VecDeque::new(),
            next_id: 0,
            numbers: 0,
            scenario,
            recording: Recording::default(),
            clock: Duration::ZERO,
            bytes: Vec::new(),
            recordings: Vec::new(),
        };
        agent.begin();
        agent
    }

    /// Begins the recording of a process.
    fn begin(&mut self) {
        let process = u32::try_from(self.recordings.len()).unwrap() + 1;
        let driven = Driven {
            run: RUN,
            scenario: self.scenario,
            process,
            plays: Side::Client,
            ends_anywhere: self.scenario == "malformed",
            left_out: &[],
        };
        let number = self.store.borrow().processes;
        self.store.borrow_mut().processes += 1;
        let at = format!("2026-11-29T{:02}:{:02}:00Z", number / 60, number % 60);
        Recording::start(&at, "gardener", 0, Some(&driven), &mut self.bytes).unwrap();
        if self.has("banner") {
            self.waiting.push_back("Welcome to the garden!".to_owned());
        }
    }

    /// Ends the recording of a process.
    fn end(&mut self) {
        while let Some(line) = self.waiting.pop_front() {
            self.note(Side::Agent, &line);
        }
        for side in [Side::Client, Side::Agent] {
            self.recording.end(side, End::Eof, self.clock, &mut self.bytes).unwrap();
        }
        self.recording = Recording::default();
        self.clock = Duration::ZERO;
        self.recordings.push(std::mem::take(&mut self.bytes));
    }

    pub(super) fn finish(mut self) -> Vec<Vec<u8>> {
        self.end();
        self.recordings
    }

    fn note(&mut self, sender: Side, line: &str) {
        let line = format!("{line}\n");
        self.clock += Duration::from_millis(1);
        self.recording.take(sender, line.as_bytes(), self.clock, &mut self.bytes).unwrap();
    }

    fn has(&self, defect: &str) -> bool {
        self.defects.contains(defect)
    }

    fn is_v2(&self) -> bool {
        self.speaks == Version::V2
    }

    fn say(&mut self, mut message: Value) {
        if !self.has("no-jsonrpc") {
            message["jsonrpc"] = "2.0".into();
        }
        self.waiting.push_back(message.to_string());
    }

    fn answer(&mut self, id: &Value, result: Value) {
        let id = if self.has("ids-as-text") { id.to_string().into() } else { id.clone() };
        self.say(json!({ "id": id, "result": result }));
        if self.has("answers-twice") {
            self.say(json!({ "id": id, "result": result }));
        }
    }

    fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let mut error = json!({ "code": code, "message": message });
        if self.has("error-without-code") {
            error.as_object_mut().unwrap().remove("code");
        }
        self.say(json!({ "id": id, "error": error }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = Value::from(self.next_id);
        self.say(json!({ "id": id, "method": method, "params": params }));
        id
    }

    fn update(&mut self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.say(json!({ "method": "session/update", "params": params }));
    }

    /// An update that belongs to the conversation.
    fn tell(&mut self, session: &str, update: Value) {
        let mut store = self.store.borrow_mut();
        let stored = store.sessions.get_mut(session).unwrap();
        // Of a tool call and of a plan, only the last state is kept.
        let is_same = |old: &Value| {
            let key = |update: &Value| match update["sessionUpdate"].as_str()? {
                "plan" | "plan_update" => Some("plan".to_owned()),
                "tool_call" | "tool_call_update" => Some(update["toolCallId"].to_string()),
                _ => None,
            };
            key(old).is_some() && key(old) == key(&update)
        };
        match stored.history.iter_mut().find(|old| is_same(old)) {
            Some(old) => {
                for (name, value) in update.as_object().unwrap() {
                    if name != "sessionUpdate" {
                        old[name] = value.clone();
                    }
                }
            }
            None => stored.history.push(update.clone()),
        }
        drop(store);
        self.update(session, update);
    }

    // The connection.

    fn initialize(&mut self, id: &Value, params: &Value) {
        let asked = params["protocolVersion"].as_u64().unwrap();
        self.speaks =
            if self.version == Version::V2 && asked >= 2 { Version::V2 } else { Version::V1 };
        let name = if self.is_v2() { "capabilities" } else { "clientCapabilities" };
        self.client = params[name].clone();
        let mut version = if self.is_v2() { 2 } else { 1 };
        if self.has("echoes-version") {
            version = asked;
        }
        if self.has("version-above") && asked == 1 {
            version = 2;
        }
        let info = json!({ "name": "gardener", "version": "1.0.0" });
        let mut result = if self.is_v2() {
            let session = json!({
                "prompt": { "image": {}, "audio": {}, "embeddedContext": {} },
                "mcp": { "stdio": {} },
                "delete": {},
                "additionalDirectories": {},
            });
            json!({ "capabilities": { "session": session }, "info": info })
        } else {
            let session = json!({
                "list": {}, "close": {}, "delete": {}, "resume": {}, "additionalDirectories": {},
            });
            json!({
                "agentCapabilities": {
                    "loadSession": true,
                    "promptCapabilities": { "image": true, "audio": true, "embeddedContext": true },
                    "sessionCapabilities": session,
                },
                "agentInfo": info,
                "authMethods": [],
            })
        };
        result["protocolVersion"] = version.into();
        if self.has("no-info") {
            result
                .as_object_mut()
                .unwrap()
                .retain(|name, _| !name.to_lowercase().ends_with("info"));
        }
        if self.has("list-not-said") && !self.is_v2() {
            result["agentCapabilities"]["sessionCapabilities"]["list"] = true.into();
        }
        if self.has("capability-as-text") {
            let name = if self.is_v2() { "capabilities" } else { "agentCapabilities" };
            result[name] = "all".into();
        }
        if self.has("methods-null") {
            result["authMethods"] = Value::Null;
        }
        if self.has("methods-object") {
            result["authMethods"] = json!({});
        }
        if self.has("version-as-text") && asked == 65535 {
            result["protocolVersion"] = version.to_string().into();
        }
        self.answer(id, result);
    }

    fn options(&self, session: &str) -> Value {
        let store = self.store.borrow();
        let size = store.sessions.get(session).map_or("small", |stored| &stored.size);
        let size = if self.has("option-current-unknown") { "huge" } else { size };
        let (id, value) = if self.is_v2() { ("configId", "value") } else { ("id", "value") };
        let mut values = vec![
            json!({ value: "small", "name": "Small" }),
            json!({ value: "large", "name": "Large" }),
        ];
        if self.has("option-value-twice") {
            values.push(values[0].clone());
        }
        let option = json!({
            id: "size", "name": "Size", "type": "select", "currentValue": size, "options": values,
        });
        if self.has("option-twice") { json!([option, option]) } else { json!([option]) }
    }

    fn modes(&self, session: &str) -> Value {
        let store = self.store.borrow();
        let mode = store.sessions.get(session).map_or("ask", |stored| &stored.mode);
        let mode = if self.has("mode-unknown") { "ghost" } else { mode };
        json!({
            "currentModeId": mode,
            "availableModes": [{ "id": "ask", "name": "Ask" }, { "id": "dig", "name": "Dig" }],
        })
    }

    fn commands(&self) -> Value {
        let name = if self.has("slash-command") { "/water" } else { "water" };
        let mut command = json!({ "name": name, "description": "Waters what is dry." });
        if self.is_v2() {
            command["type"] = "command".into();
        }
        if self.has("command-twice") { json!([command, command]) } else { json!([command]) }
    }

    /// The state of a session, as the answers that create and attach one have it.
    fn state(&self, session: &str) -> Value {
        let options = self.options(session);
        if self.is_v2() {
            json!({ "configOptions": options, "availableCommands": self.commands() })
        } else {
            json!({ "configOptions": options, "modes": self.modes(session) })
        }
    }

    fn new_session(&mut self, id: &Value, params: &Value) {
        let mut store = self.store.borrow_mut();
        store.created += 1;
        let number = if self.defects.contains("one-id-for-all") { 1 } else { store.created };
        let session = format!("{:08x}-bed", 0x9e37_79b9_u32.wrapping_mul(number));
        let order = store.created;
        let cwd = params["cwd"].as_str().unwrap().to_owned();
        store.sessions.insert(session.clone(), Stored { cwd, order, ..Stored::new() });
        drop(store);
        self.open.insert(session.clone());
        let mut result = self.state(&session);
        result["sessionId"] = session.clone().into();
        let commands = json!({
            "sessionUpdate": "available_commands_update", "availableCommands": self.commands(),
        });
        if self.has("update-before-answer") {
            self.update(&session, commands.clone());
        }
        self.answer(id, result);
        if !self.is_v2() {
            self.update(&session, commands);
        }
    }

    fn list(&mut self, id: &Value, params: &Value) {
        const PAGE: usize = 1;
        let store = self.store.borrow();
        let has = |defect| self.has(defect);
        let mut listed: Vec<_> = store.sessions.iter().collect();
        listed.retain(|(_, stored)| {
            let is_here = params["cwd"].as_str().is_none_or(|cwd| cwd == stored.cwd);
            (is_here || has("list-ignores-cwd")) && (!stored.is_deleted || has("lists-deleted"))
        });
        listed.sort_by_key(|(_, stored)| std::cmp::Reverse(stored.order));
        let begin = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let mut sessions: Vec<_> = listed
            .iter()
            .skip(begin)
            .take(PAGE)
            .map(|(id, stored)| {
                let cwd = if has("list-relative-cwd") { "garden" } else { &*stored.cwd };
                let day = stored.order % 28 + 1;
                let updated = format!("2026-{:02}-{day:02}T10:00:00Z", stored.order / 28 + 1);
                json!({ "sessionId": id, "cwd": cwd, "updatedAt": updated })
            })
            .collect();
        if has("list-twice") && !sessions.is_empty() {
            sessions.push(sessions[0].clone());
        }
        let mut result = json!({ "sessions": sessions });
        if begin + PAGE < listed.len() {
            let next = if has("cursor-loops") { begin } else { begin + PAGE };
            result["nextCursor"] = next.to_string().into();
        }
        if has("sessions-null") {
            result["sessions"] = Value::Null;
        }
        drop(store);
        self.answer(id, result);
    }

    fn knows(&self, session: &str) -> bool {
        self.store.borrow().sessions.get(session).is_some_and(|stored| !stored.is_deleted)
    }

    /// Loads or resumes a session.
    fn attach(&mut self, id: &Value, params: &Value, loads: bool) {
        let session = params["sessionId"].as_str().unwrap().to_owned();
        if !self.knows(&session) && self.has("unknown-loaded-as-list") {
            return self.answer(id, json!([]));
        }
        if !self.knows(&session) && !self.has("loads-anything") {
            return self.refuse(id, -32002, "no such session");
        }
        self.store.borrow_mut().sessions.entry(session.clone()).or_insert_with(Stored::new);
        self.open.insert(session.clone());
        let replays = if self.is_v2() { params["replayFrom"].is_object() } else { loads };
        let replays = replays || self.has("resume-replays");
        let mut history = Vec::new();
        if let Some(stored) = self.store.borrow().sessions.get(&session)
            && replays
            && !self.has("forgets")
        {
            history.clone_from(&stored.history);
        }
        let kind = |update: &Value| update["sessionUpdate"].as_str().unwrap().to_owned();
        if self.has("forgets-users") {
            history.retain(|update| !kind(update).starts_with("user"));
        }
        if self.has("forgets-tools") {
            history.retain(|update| !kind(update).starts_with("tool"));
        }
        if self.has("forgets-plans") {
            history.retain(|update| !kind(update).starts_with("plan"));
        }
        if self.has("forgets-last-turn")
            && let Some(last) = history.iter().rposition(|it| kind(it).starts_with("user"))
        {
            history.truncate(last);
        }
        if self.has("replays-twice") {
            history = [history.clone(), history].concat();
        }
        let state = self.state(&session);
        let answers_first = self.has("answers-before-replay");
        if answers_first {
            self.answer(id, state.clone());
        }
        for (number, mut update) in history.into_iter().enumerate() {
            if self.has("new-message-ids") && update.get("messageId").is_some() {
                update["messageId"] = format!("again-{number}").into();
            }
            if self.has("other-words") && kind(&update).starts_with("agent_message") {
                let text = json!({ "type": "text", "text": "Something else." });
                update["content"] = if update["content"].is_array() { json!([text]) } else { text };
            }
            self.update(&session, update);
        }
        if self.is_v2() {
            if replays && !self.has("no-replay-complete") {
                self.update(&session, json!({ "sessionUpdate": "replay_complete" }));
            }
            self.update(&session, json!({ "sessionUpdate": "state_update", "state": "idle" }));
        }
        if !answers_first {
            self.answer(id, state);
        }
    }

    fn set_mode(&mut self, id: &Value, params: &Value) {
        let session = params["sessionId"].as_str().unwrap();
        let mode = params["modeId"].as_str().unwrap();
        if !["ask", "dig"].contains(&mode) && !self.has("accepts-any-mode") {
            if self.has("changes-what-it-refuses") {
                let mut store = self.store.borrow_mut();
                "dig".clone_into(&mut store.sessions.get_mut(session).unwrap().mode);
            }
            return self.refuse(id, -32602, "no such mode");
        }
        mode.clone_into(&mut self.store.borrow_mut().sessions.get_mut(session).unwrap().mode);
        self.answer(id, json!({}));
    }

    fn set_option(&mut self, id: &Value, params: &Value) {
        let session = params["sessionId"].as_str().unwrap().to_owned();
        let value = params["value"].as_str().unwrap();
        let is_offered = ["small", "large"].contains(&value);
        if !is_offered && !self.has("accepts-any-value") {
            if self.has("changes-what-it-refuses") {
                let mut store = self.store.borrow_mut();
                "large".clone_into(&mut store.sessions.get_mut(&session).unwrap().size);
            }
            return self.refuse(id, -32602, "no such value");
        }
        if is_offered && !self.has("option-not-applied") {
            value.clone_into(&mut self.store.borrow_mut().sessions.get_mut(&session).unwrap().size);
        }
        if self.has("option-answer-empty") {
            return self.answer(id, json!({}));
        }
        let mut options = self.options(&session);
        if self.has("option-state-missing") {
            options = json!([]);
        }
        self.answer(id, json!({ "configOptions": options }));
    }

    fn close(&mut self, id: &Value, session: &str, deletes: bool) {
        for turn in self.turns.extract_if(.., |turn| turn.session == session).collect::<Vec<_>>() {
            if !self.has("close-forgets-prompt") {
                self.stop(turn);
            }
        }
        let is_gone = deletes && !self.knows(session);
        self.open.remove(session);
        if deletes && let Some(stored) = self.store.borrow_mut().sessions.get_mut(session) {
            stored.is_deleted = true;
        }
        if self.has("delete-twice-fails") && is_gone {
            return self.refuse(id, -32002, "no such session");
        }
        if self.has("close-fails") && !deletes {
            return self.refuse(id, -32603, "cannot close");
        }
        self.answer(id, json!({}));
        if self.has("talks-after-close") && !deletes {
            self.message(session, "I am still here.");
        }
    }

    // Turns.

    fn message(&mut self, session: &str, text: &str) {
        self.numbers += 1;
        let content = json!({ "type": "text", "text": text });
        let update = if self.is_v2() {
            let id = if self.has("one-message-id") {
                "m".to_owned()
            } else {
                format!("m-{session}-{}", self.numbers)
            };
            json!({ "sessionUpdate": "agent_message", "messageId": id, "content": [content] })
        } else {
            json!({ "sessionUpdate": "agent_message_chunk", "content": content })
        };
        if self.store.borrow().sessions.contains_key(session) {
            self.tell(session, update);
        } else {
            self.update(session, update);
        }
    }

    /// A plan of three entries, of which the first ones are done.
    fn plan(&mut self, session: &str, done: usize) {
        self.planned(session, done, true);
    }

    /// A plan of three entries, of which the first ones are done. Where the work is interrupted, no entry
    /// is in progress.
    fn planned(&mut self, session: &str, done: usize, is_at_work: bool) {
        let status = |at: usize| match at.cmp(&done) {
            std::cmp::Ordering::Less if self.has("plan-status-done") => "done",
            std::cmp::Ordering::Less => "completed",
            std::cmp::Ordering::Equal if is_at_work => "in_progress",
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => "pending",
        };
        let mut entries: Vec<_> = ["Dig", "Plant", "Water"]
            .into_iter()
            .enumerate()
            .map(
                |(at, text)| json!({ "content": text, "priority": "medium", "status": status(at) }),
            )
            .collect();
        if self.has("plan-priority-urgent") {
            entries[2]["priority"] = "urgent".into();
        }
        if self.has("plan-no-content") {
            entries[1].as_object_mut().unwrap().remove("content");
        }
        if self.has("plan-no-priority") {
            entries[1].as_object_mut().unwrap().remove("priority");
        }
        if self.has("plan-changed-only") && done > 0 {
            entries = vec![entries[(done - 1).min(2)].clone()];
        }
        if self.has("plan-entry-twice") {
            entries.push(entries[0].clone());
        }
        if self.has("plan-entry-empty") {
            entries[0]["content"] = "".into();
        }
        let update = if (self.is_v2() && !self.has("old-plan")) || self.has("plan-operations") {
            let mut plan = json!({ "type": "items", "planId": "p", "entries": entries });
            if self.has("plan-no-id") {
                plan.as_object_mut().unwrap().remove("planId");
            }
            if self.has("plan-type-custom") {
                plan["type"] = "list".into();
            }
            if self.has("plan-id-drifts") {
                plan["planId"] = format!("p{done}").into();
            }
            json!({ "sessionUpdate": "plan_update", "plan": plan })
        } else {
            json!({ "sessionUpdate": "plan", "entries": entries })
        };
        self.tell(session, update);
        if self.has("plan-removed-unknown") && done == 3 {
            self.update(session, json!({ "sessionUpdate": "plan_removed", "planId": "ghost" }));
        }
        if self.has("plan-removed-twice") && done == 3 {
            for _ in 0..2 {
                self.update(session, json!({ "sessionUpdate": "plan_removed", "planId": "p" }));
            }
        }
    }

    fn call(&mut self, turn: &Turn, status: &str) {
        let first = status == "pending";
        let kind = if self.is_v2() || (!first && !self.has("tool-call-twice")) {
            "tool_call_update"
        } else {
            "tool_call"
        };
        let mut update =
            json!({ "sessionUpdate": kind, "toolCallId": turn.call, "status": status });
        if first || kind == "tool_call" {
            let place = if self.has("relative-location") { "bed.txt" } else { "/work/bed.txt" };
            update["title"] = "Dig the bed".into();
            update["kind"] = "edit".into();
            let mut location = json!({ "path": place });
            if self.is_v2() {
                update["capabilities"] = json!({ "cancel": {} });
            }
            if self.has("location-line-zero") {
                location["line"] = 0.into();
            }
            update["locations"] = json!([location]);
        }
        if status == "completed" {
            let content = json!({ "type": "text", "text": "Dug." });
            let content = if self.has("bare-content") {
                content
            } else {
                json!({ "type": "content", "content": content })
            };
            update["content"] = json!([content]);
            if self.has("call-id-changes") {
                update["toolCallId"] = "another".into();
            }
        }
        if self.is_v2() && !["pending", "in_progress"].contains(&status) {
            update["capabilities"] = Value::Null;
        }
        if status == "completed" && self.has("call-status-done") {
            update["status"] = "done".into();
        }
        self.tell(&turn.session, update);
    }

    fn work_state(&mut self, session: &str, state: Value) {
        if self.is_v2() {
            let mut update = json!({ "sessionUpdate": "state_update" });
            update.as_object_mut().unwrap().extend(state.as_object().unwrap().clone());
            self.update(session, update);
        }
    }

    fn prompt(&mut self, id: &Value, params: &Value) {
        let session = params["sessionId"].as_str().unwrap().to_owned();
        if !self.open.contains(&session) {
            if self.has("prompts-any-session") {
                let result = if self.is_v2() {
                    json!({ "messageId": "u" })
                } else {
                    json!({ "stopReason": "end_turn" })
                };
                return self.answer(id, result);
            }
            return self.refuse(id, -32002, "no such session");
        }
        if self.turns.iter().any(|turn| turn.session == session) {
            return self.refuse(id, -32600, "one at a time");
        }
        let blocks = params["prompt"].as_array().unwrap();
        if self.has("no-images") && blocks.iter().any(|block| block["type"] == "image") {
            return self.refuse(id, -32602, "images are not supported");
        }
        self.numbers += 1;
        let message = format!("u-{session}-{}", self.numbers);
        if self.is_v2() {
            if !self.has("prompt-answer-late") {
                self.answer(id, json!({ "messageId": &message }));
            }
            let update = json!({
                "sessionUpdate": "user_message", "messageId": &message, "content": blocks,
            });
            if self.has("no-user-message") {
                let mut store = self.store.borrow_mut();
                store.sessions.get_mut(&session).unwrap().history.push(update);
            } else {
                self.tell(&session, update);
            }
            if !self.has("never-running") {
                self.work_state(&session, json!({ "state": "running" }));
            }
        } else {
            let mut store = self.store.borrow_mut();
            let history = &mut store.sessions.get_mut(&session).unwrap().history;
            for block in blocks {
                history.push(json!({ "sessionUpdate": "user_message_chunk", "content": block }));
            }
        }
        let is_long = blocks[0]["text"] == "Sweep all.";
        let call = format!("c{}", self.numbers);
        let turn = Turn {
            session: session.clone(),
            prompt: id.clone(),
            message,
            wait: Wait::Cancel,
            asked: Value::Null,
            is_cancelled: false,
            call,
            is_call_over: false,
            terminal: Value::Null,
        };
        if !(self.has("plan-never") || (is_long && self.has("old-plan"))) {
            self.plan(&session, 0);
        }
        let place = if self.has("update-elsewhere") { "another-bed" } else { &*session };
        self.message(place, "I look at the bed.");
        if !self.has("call-unknown") {
            self.call(&turn, "pending");
        }
        if self.has("files-without-capability") {
            self.ask("fs/read_text_file", json!({ "sessionId": session, "path": "/work/bed.txt" }));
        }
        if self.has("usage-above-size") {
            let update = json!({ "sessionUpdate": "usage_update", "used": 300, "size": 200 });
            self.update(&session, update);
        }
        if is_long {
            return self.turns.push(turn);
        }
        self.ask_permission(turn);
    }

    fn ask_permission(&mut self, mut turn: Turn) {
        let session = turn.session.clone();
        turn.wait = Wait::Permission;
        let mut options = vec![
            json!({ "optionId": "yes", "name": "Dig", "kind": "allow_once" }),
            json!({ "optionId": "no", "name": "Leave", "kind": "reject_once" }),
        ];
        if self.has("permission-same-ids") {
            options[1]["optionId"] = "yes".into();
        }
        if self.has("permission-no-options") {
            options.clear();
        }
        let subject = if self.has("permission-other-call") { "elsewhere" } else { &*turn.call };
        let call = json!({ "toolCallId": subject });
        let params = if self.is_v2() {
            json!({
                "sessionId": session, "title": "Dig?", "options": options,
                "subject": { "type": "tool_call", "toolCall": call },
            })
        } else {
            json!({ "sessionId": session, "toolCall": call, "options": options })
        };
        if !self.has("no-requires-action") {
            self.work_state(&session, json!({ "state": "requires_action" }));
        }
        turn.asked = self.ask("session/request_permission", params);
        if self.has("does-not-wait") {
            self.call(&turn, "completed");
        }
        self.turns.push(turn);
    }

    /// What the agent asks in a step of its work; `None` where it has nothing to ask.
    fn request(&mut self, turn: &Turn, step: u32) -> Option<(&'static str, Value)> {
        let session = &*turn.session;
        let has = |path: &str| {
            let found = path.split('.').try_fold(&self.client, |value, name| value.get(name));
            found.is_some_and(|it| it.is_object() || it == &Value::Bool(true))
        };
        let has_files = has("fs.readTextFile");
        let has_terminals = has("terminal");
        let asks = has("elicitation.form");
        let terminal = json!({ "sessionId": session, "terminalId": turn.terminal });
        match step {
            0 if has_files => {
                let path = if self.has("file-relative") { "bed.txt" } else { "/work/bed.txt" };
                Some(("fs/read_text_file", json!({ "sessionId": session, "path": path })))
            }
            1 if has_files => {
                let mut params = json!({ "sessionId": session, "path": "/work/bed.txt" });
                params["content"] = "dug\n".into();
                Some(("fs/write_text_file", params))
            }
            2 if has_terminals => {
                let mut params = json!({ "sessionId": session, "command": "ls" });
                if self.has("terminal-relative-cwd") {
                    params["cwd"] = "bed".into();
                }
                Some(("terminal/create", params))
            }
            3 if has_terminals => Some(("terminal/wait_for_exit", terminal)),
            4 if has_terminals && !self.has("keeps-terminals") => {
                Some(("terminal/release", terminal))
            }
            5 if has_terminals && self.has("uses-released-terminal") => {
                Some(("terminal/output", terminal))
            }
            6 if asks => {
                let schema = json!({
                    "type": "object", "properties": { "deep": { "type": "boolean" } },
                    "required": [if self.has("requires-unknown") { "wide" } else { "deep" }],
                });
                let mode = if self.has("asks-by-letter") { "letter" } else { "form" };
                let params = json!({
                    "sessionId": session, "mode": mode, "message": "How deep?",
                    "requestedSchema": schema,
                });
                Some(("elicitation/create", params))
            }
            _ => None,
        }
    }

    /// Goes on with the turn that has waited for this answer.
    fn go_on(&mut self, id: &Value, answer: &Value) {
        /// The step behind the last request, which asks the user.
        const LAST: u32 = 7;
        let Some(place) = self.turns.iter().position(|turn| turn.asked == *id) else { return };
        let mut turn = self.turns.swap_remove(place);
        turn.asked = Value::Null;
        if turn.is_cancelled {
            return self.stop(turn);
        }
        let session = turn.session.clone();
        let mut step = match turn.wait {
            Wait::Answer(step) => step,
            _ => 0,
        };
        if turn.wait == Wait::Permission {
            if !self.has("stays-in-requires-action") && !self.has("no-requires-action") {
                self.work_state(&session, json!({ "state": "running" }));
            }
            let is_allowed = answer["result"]["outcome"]["optionId"] == "yes";
            if !is_allowed && !self.has("ignores-refusals") {
                self.call(&turn, "failed");
                self.planned(&session, 0, false);
                return self.end_turn(turn);
            }
            if !self.has("does-not-wait") {
                self.call(&turn, "in_progress");
            }
        }
        if step == LAST {
            self.work_state(&session, json!({ "state": "running" }));
        }
        if step == 3 {
            turn.terminal = answer["result"]["terminalId"].clone();
        }
        while step < LAST {
            let request = self.request(&turn, step);
            step += 1;
            if let Some((method, params)) = request {
                if step == LAST {
                    self.work_state(&session, json!({ "state": "requires_action" }));
                }
                turn.asked = self.ask(method, params);
                turn.wait = Wait::Answer(step);
                return self.turns.push(turn);
            }
        }
        if self.has("call-unfinished") {
            // It stays at work.
        } else if !self.has("does-not-wait") {
            self.call(&turn, "completed");
        }
        if self.has("call-reopened") {
            self.call(&turn, "in_progress");
            self.call(&turn, "completed");
        }
        for done in 1..=3 {
            let done = if self.has("plan-falls-back") && done == 3 { 0 } else { done };
            self.plan(&session, done);
        }
        self.end_turn(turn);
    }

    fn end_turn(&mut self, turn: Turn) {
        let session = turn.session.clone();
        self.message(&session, "The bed is ready.");
        let reason = if self.has("cancelled-unasked") {
            "cancelled"
        } else if self.has("reason-done") {
            "done"
        } else {
            "end_turn"
        };
        self.ended(&session, &turn.prompt, &turn.message, reason);
    }

    fn ended(&mut self, session: &str, prompt: &Value, message: &str, reason: &str) {
        if self.is_v2() {
            let mut state = json!({ "state": "idle", "stopReason": reason });
            if self.has("no-reason") {
                state.as_object_mut().unwrap().remove("stopReason");
            }
            if !self.has("never-idle") {
                self.work_state(session, state);
            }
            if self.has("prompt-answer-late") {
                self.answer(prompt, json!({ "messageId": message }));
            }
        } else {
            let mut result = json!({ "stopReason": reason });
            if self.has("no-reason") {
                result = json!({});
            }
            self.answer(prompt, result);
        }
        if self.has("talks-after-turn") {
            self.message(session, "One more thing.");
        }
    }

    /// Ends a turn that is cancelled.
    fn stop(&mut self, turn: Turn) {
        if !turn.is_call_over {
            self.call(&turn, if self.is_v2() { "cancelled" } else { "failed" });
        }
        self.planned(&turn.session, 0, false);
        if self.has("cancel-is-error") && !self.is_v2() {
            return self.refuse(&turn.prompt, -32603, "aborted");
        }
        let reason = if self.has("cancel-ends-turn") { "end_turn" } else { "cancelled" };
        self.ended(&turn.session, &turn.prompt, &turn.message, reason);
    }

    fn cancel(&mut self, session: &str) {
        let Some(place) = self.turns.iter().position(|turn| turn.session == session) else {
            return;
        };
        // A question that is open is answered first.
        if self.turns[place].asked.is_null() {
            let turn = self.turns.swap_remove(place);
            self.stop(turn);
        } else {
            self.turns[place].is_cancelled = true;
        }
    }

    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let session = params["sessionId"].as_str().unwrap_or_default();
        match (message["method"].as_str(), message.get("id").is_some()) {
            (None, true) if message.get("result").or(message.get("error")).is_some() => {
                self.go_on(id, message);
            }
            (Some("initialize"), _) => self.initialize(id, params),
            (Some("session/new"), _) => self.new_session(id, params),
            (Some("session/list"), true) if !self.has("no-list") => self.list(id, params),
            (Some("session/load"), true) if !self.is_v2() => self.attach(id, params, true),
            (Some("session/resume"), true) => self.attach(id, params, false),
            (Some("session/close"), true) if !self.has("no-close") => {
                self.close(id, session, false);
            }
            (Some("session/delete"), true) if !self.has("no-delete") => {
                self.close(id, session, true);
            }
            (Some("session/set_mode"), true) if !self.is_v2() => self.set_mode(id, params),
            (Some("session/set_config_option"), true) => self.set_option(id, params),
            (Some("session/prompt"), true) => self.prompt(id, params),
            (Some("tool_call/cancel"), true) if self.is_v2() => {
                let is_heard = !self.has("ignores-tool-cancel");
                let is_it = |turn: &&mut Turn| turn.call == params["toolCallId"];
                if let Some(turn) = self.turns.iter_mut().find(is_it).filter(|_| is_heard) {
                    turn.is_call_over = true;
                    let update = json!({
                        "sessionUpdate": "tool_call_update", "toolCallId": turn.call,
                        "status": "cancelled", "capabilities": null,
                    });
                    self.tell(session, update);
                }
                self.answer(id, json!({}));
            }
            (Some("session/cancel"), false) => self.cancel(session),
            (Some("$/cancel_request"), false) => {
                let is_it = |turn: &Turn| turn.prompt == params["requestId"];
                if let Some(place) = self.turns.iter().position(is_it) {
                    let turn = self.turns.swap_remove(place);
                    if self.is_v2() {
                        // The prompt is answered: there is nothing to cancel.
                        self.call(&turn, "completed");
                        self.planned(&turn.session, 3, true);
                        self.end_turn(turn);
                    } else {
                        self.stop(turn);
                    }
                }
            }
            (Some(method), true) if method.starts_with('_') && self.has("knows-all-methods") => {
                self.answer(id, json!({}));
            }
            (Some(method), true) if method.starts_with('_') && self.has("unknown-in-data") => {
                let data = json!({ "details": "Method not found" });
                let error = json!({ "code": -32603, "message": "Internal error", "data": data });
                self.say(json!({ "id": id, "error": error }));
            }
            (Some(method), true) => {
                let is_wrong = method.starts_with('_') && self.has("unknown-method-code");
                let code = if is_wrong { -32603 } else { -32601 };
                self.refuse(id, code, "Method not found");
            }
            (Some(_), false) if self.has("answers-notifications") => {
                self.refuse(&Value::Null, -32601, "Method not found");
            }
            _ => {}
        }
    }
}

impl drive::Agent for Gardener {
    fn send(&mut self, line: &str) {
        self.note(Side::Client, line);
        if let Ok(message) = serde_json::from_str::<Value>(line) {
            self.take(&message);
        }
    }

    fn receive(&mut self, deadline: Instant) -> Received {
        while let Some(line) = self.waiting.pop_front() {
            self.note(Side::Agent, &line);
            if let Ok(message) = serde_json::from_str(&line) {
                return Received::Message(message);
            }
        }
        self.clock += deadline.saturating_duration_since(Instant::now());
        Received::Nothing
    }

    fn close_input(&mut self, _: Duration) -> Option<String> {
        Some("status 0".to_owned())
    }

    fn restart(&mut self) -> Result<(), Stop> {
        self.end();
        self.open.clear();
        self.turns.clear();
        self.begin();
        Ok(())
    }

    fn start_another(&mut self) -> Result<(), Stop> {
        // Nobody speaks to the other process any more, so it may as well end.
        self.restart()
    }

    fn mcp_server(&self) -> Option<Value> {
        None
    }

    fn mcp_calls(&self) -> Vec<String> {
        Vec::new()
    }

    fn read_file(&self, _: &str) -> Result<String, String> {
        Ok("roses\n".to_owned())
    }

    fn write_file(&self, _: &str, _: &str) -> Result<(), String> {
        Ok(())
    }
}
