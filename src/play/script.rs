//! Speaks the agent's part in one turn: sends updates, asks the client, and waits for its answers.

use std::{
    fmt,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};

use crate::{
    play::{Heard, Link, Stop},
    protocol::Version,
};

/// One turn of the agent.
pub struct Script {
    link: Arc<Link>,
    pub(super) setting: Setting,
    ear: Sender<Heard>,
    heard: Receiver<Heard>,
    /// What the agent does now, for who reads how far it came.
    step: String,
    /// Whether the user has stopped the turn.
    is_cancelled: bool,
    /// Whether a stopped turn goes on, since the scenario is about that.
    pub(super) survives_cancel: bool,
    /// How the turn ends.
    pub(super) ending: Ending,
    /// Updates that follow the end of the turn, in one write with it.
    pub(super) last_updates: Vec<Value>,
    /// Answers to requests that are waited for elsewhere.
    early: Vec<Value>,
    /// How many ids the turn has given.
    ids: u32,
    number: u64,
    /// The id of the message that is being said; version 2 names each.
    message: Option<(&'static str, String)>,
}

/// How a turn ends.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// With this stop reason.
    Stop(&'static str),
    /// With an error: its code, its message, and its data.
    Error(i64, &'static str, Value),
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("step", &self.step).finish_non_exhaustive()
    }
}

/// A request that has been sent.
#[derive(Clone, Debug)]
pub(super) struct Open {
    id: Value,
}

/// The client's answer.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    Result(Value),
    /// The message of the error.
    Error(String),
}

impl Reply {
    fn read(message: &Value) -> Self {
        match message.get("error").filter(|error| !error.is_null()) {
            Some(error) => Self::Error(error["message"].as_str().unwrap_or_default().to_owned()),
            None => Self::Result(message["result"].clone()),
        }
    }
}

/// What a turn is about.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) version: Version,
    pub(super) session: String,
    /// The session's folder.
    pub(super) cwd: String,
    /// What the client advertises.
    pub(super) capabilities: Value,
    /// How the session's options are set.
    pub(super) options: Value,
    /// How many turns of this kind there were before.
    pub(super) repeats: usize,
    /// How long an answer may take.
    pub(super) timeout: Duration,
    /// How long an answer may take that a person gives.
    pub(super) patience: Duration,
    /// How long the user may take to stop the turn.
    pub(super) stop_within: Duration,
}

impl Script {
    pub(super) fn new(
        link: Arc<Link>,
        setting: Setting,
        (number, ear, heard): (u64, Sender<Heard>, Receiver<Heard>),
    ) -> Self {
        Self {
            link,
            setting,
            ear,
            heard,
            step: String::new(),
            is_cancelled: false,
            survives_cancel: false,
            ending: Ending::Stop("end_turn"),
            last_updates: Vec::new(),
            early: Vec::new(),
            ids: 0,
            number,
            message: None,
        }
    }

    /// What the agent does now.
    pub(super) fn step(&self) -> &str {
        &self.step
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Names what the agent does next.
    pub(super) fn begin(&mut self, step: impl Into<String>) {
        self.step = step.into();
    }

    /// Whether the client advertises a capability.
    pub(super) fn has(&self, path: &str) -> bool {
        let found =
            path.split('.').try_fold(&self.setting.capabilities, |value, name| value.get(name));
        path.is_empty() || found.is_some_and(|it| it.is_object() || *it == Value::Bool(true))
    }

    /// An id that no other tool call, plan or message of the session has.
    pub(super) fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}-{}-{}", self.number, self.ids)
    }

    /// Sends session updates in one write.
    pub(super) fn updates(&mut self, updates: &[Value]) {
        let messages: Vec<_> = updates.iter().map(|update| self.update_message(update)).collect();
        self.link.send(&messages);
    }

    pub(super) fn update_message(&self, update: &Value) -> Value {
        update_message(&self.setting.session, update)
    }

    /// Sends a session update.
    pub(super) fn update(&mut self, update: Value) {
        self.updates(&[update]);
    }

    /// Says something to the user, as a paragraph.
    pub(super) fn say(&mut self, text: &str) {
        self.content("agent_message_chunk", &json!({ "type": "text", "text": text }));
    }

    pub(super) fn think(&mut self, text: &str) {
        self.content("agent_thought_chunk", &json!({ "type": "text", "text": text }));
    }

    /// Sends a content block as a piece of a message of this kind.
    pub(super) fn content(&mut self, kind: &'static str, block: &Value) {
        let mut update = json!({ "sessionUpdate": kind, "content": block });
        if self.setting.version == Version::V2 {
            let id = match self.message.take() {
                Some((known, id)) if known == kind => id,
                _ => self.id("message"),
            };
            update["messageId"] = id.clone().into();
            self.message = Some((kind, id));
        }
        self.update(update);
    }

    /// Reports a new tool call. `more`: its members beside id and title.
    pub(super) fn tool_call(&mut self, title: &str, more: Value) -> String {
        let id = self.id("call");
        let kind = match self.setting.version {
            Version::V1 => "tool_call",
            Version::V2 => "tool_call_update",
        };
        let update = json!({ "sessionUpdate": kind, "toolCallId": id, "title": title });
        self.update(joined(update, more));
        self.message = None;
        id
    }

    /// Reports a change of a tool call.
    pub(super) fn tool_update(&mut self, id: &str, more: Value) {
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": id });
        self.update(joined(update, more));
    }

    /// Reports that a tool call has come to its end.
    pub(super) fn finish_call(&mut self, id: &str) {
        self.tool_update(id, json!({ "status": "completed" }));
    }

    /// Shows a plan. On version 1, the session has one.
    pub(super) fn plan(&mut self, id: &str, entries: &[Value]) {
        let update = match self.setting.version {
            Version::V1 => json!({ "sessionUpdate": "plan", "entries": entries }),
            Version::V2 => return self.plan_of(id, entries),
        };
        self.update(update);
    }

    /// Shows one of several plans.
    pub(super) fn plan_of(&mut self, id: &str, entries: &[Value]) {
        let plan = json!({ "type": "items", "planId": id, "entries": entries });
        self.update(json!({ "sessionUpdate": "plan_update", "plan": plan }));
    }

    /// Sends a notification of a method that the protocol does not have.
    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.link.send(&[json!({ "jsonrpc": "2.0", "method": method, "params": params })]);
    }

    /// Sends a request.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Open {
        let id = self.link.next_id();
        self.request_as(id.into(), method, Some(params))
    }

    /// An id for a request that the agent has not used.
    pub(super) fn new_request_id(&self) -> Value {
        self.link.next_id().into()
    }

    /// Sends a request with this id.
    pub(super) fn request_as(&mut self, id: Value, method: &str, params: Option<Value>) -> Open {
        self.link.wait_for(&id, &self.ear);
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let Some(params) = params {
            message["params"] = params;
        }
        self.link.send(&[message]);
        Open { id }
    }

    /// Waits for an answer that the client gives by itself.
    pub(super) fn answer(&mut self, open: &Open) -> Result<Reply, Stop> {
        self.answer_within(open, self.setting.timeout)
    }

    /// Waits for an answer that a person gives.
    pub(super) fn answer_of_user(&mut self, open: &Open) -> Result<Reply, Stop> {
        self.answer_within(open, self.setting.patience)
    }

    /// Waits for an answer at most this long.
    pub(super) fn answer_within(&mut self, open: &Open, within: Duration) -> Result<Reply, Stop> {
        let deadline = Instant::now() + within;
        loop {
            if let Some(place) = self.early.iter().position(|it| it["id"] == open.id) {
                return Ok(Reply::read(&self.early.swap_remove(place)));
            }
            if !self.hear(deadline)? {
                return Err(Stop::Silent);
            }
        }
    }

    /// Sends a request and waits for the answer.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Result<Reply, Stop> {
        let open = self.request(method, params);
        self.answer(&open)
    }

    /// Makes sure that the client reads and writes.
    pub(super) fn alive(&mut self) -> Result<(), Stop> {
        self.ask("_acpcheck/alive", json!({})).map(drop)
    }

    /// Lets time pass.
    pub(super) fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        let deadline = Instant::now() + time;
        while self.hear(deadline)? {}
        Ok(())
    }

    /// Waits until the user stops the turn. Returns false when the user has not stopped it within this time.
    pub(super) fn cancelled_within(&mut self, time: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + time;
        while !self.is_cancelled {
            if !self.hear(deadline)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the client has answered a request meanwhile.
    pub(super) fn has_answer(&self, open: &Open) -> bool {
        self.early.iter().any(|it| it["id"] == open.id)
    }

    /// Waits until the client answers, or the user stops the turn, or this time has passed.
    pub(super) fn hear_once(&mut self, within: Duration) -> Result<bool, Stop> {
        self.hear(Instant::now() + within)
    }

    /// Takes one thing. Returns false when none came until the deadline.
    fn hear(&mut self, deadline: Instant) -> Result<bool, Stop> {
        match self.heard.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Heard::Answer(message)) => {
                self.early.push(message);
                Ok(true)
            }
            Ok(Heard::Cancelled) => {
                self.is_cancelled = true;
                if self.survives_cancel { Ok(true) } else { Err(Stop::Cancelled) }
            }
            Ok(Heard::Ended) | Err(RecvTimeoutError::Disconnected) => Err(Stop::Ended),
            Err(RecvTimeoutError::Timeout) => Ok(false),
        }
    }
}

/// The message with an update of a session.
pub(super) fn update_message(session: &str, update: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": { "sessionId": session, "update": update },
    })
}

/// An object with the members of both.
fn joined(mut object: Value, more: Value) -> Value {
    let more = if let Value::Object(more) = more { more } else { Map::new() };
    if let Some(object) = object.as_object_mut() {
        object.extend(more);
    }
    object
}
