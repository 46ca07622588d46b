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

/// What a scenario sends and awaits in its turn. Scenarios are written with its methods.
pub struct Script {
    link: Arc<Link>,
    pub(super) setting: Setting,
    ear: Sender<Heard>,
    heard: Receiver<Heard>,
    /// What the agent does now, such as the name of a scenario; reported if the client does not
    /// answer.
    step: String,
    /// Whether the user has stopped the turn by `session/cancel`.
    is_cancelled: bool,
    /// Whether the scenario goes on after the user has stopped the turn. Otherwise waiting fails
    /// with `Stop::Cancelled`.
    pub(super) survives_cancel: bool,
    /// How the turn will end; `end_turn` unless the scenario sets another way.
    pub(super) ending: Ending,
    /// Updates to send after the end of the turn, in one write with it, to see whether the client
    /// keeps them apart.
    pub(super) last_updates: Vec<Value>,
    /// Answers that have come and that no call has taken yet.
    early: Vec<Value>,
    /// Number of ids that `id` has made in this turn, to number them.
    ids: u32,
    number: u64,
    /// Kind and id of the message that is being sent in chunks, for version 2, which names
    /// messages.
    message: Option<(&'static str, String)>,
    /// Whether further text of the agent would continue a paragraph in the chat.
    is_in_paragraph: bool,
}

/// What ends a paragraph in the chat.
const GAP: &str = "\n\n";

/// How a turn will end.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// The turn ends with this stop reason.
    Stop(&'static str),
    /// The turn ends with an error: its code, message and data.
    Error(i64, &'static str, Value),
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("step", &self.step).finish_non_exhaustive()
    }
}

/// A request of the agent to the client that was sent.
#[derive(Clone, Debug)]
pub(super) struct Open {
    id: Value,
}

/// An answer of the client to a request of the agent.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    Result(Value),
    /// The client answered with an error; its message.
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

/// The session and the client that a turn is played for.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) version: Version,
    pub(super) session: String,
    /// Working directory of the session, as an absolute path.
    pub(super) cwd: String,
    /// The client's capabilities as its `initialize` gave them.
    pub(super) capabilities: Value,
    /// The current values of the session's config options.
    pub(super) options: Value,
    /// Number of earlier turns with this scenario on the connection.
    pub(super) repeats: usize,
    /// Longest time that an answer of the client may take.
    pub(super) timeout: Duration,
    /// Longest time that an answer may take that a person has to give.
    pub(super) patience: Duration,
    /// Longest time that the user may take to stop the turn.
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
            is_in_paragraph: false,
        }
    }

    /// Name of the current step, for results of scenarios.
    pub(super) fn step(&self) -> &str {
        &self.step
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Sets the name of the step that follows; it is reported if the client does not answer.
    pub(super) fn begin(&mut self, step: impl Into<String>) {
        self.step = step.into();
    }

    /// Whether the client advertises the capability at a path such as `fs.readTextFile`. An empty
    /// path counts as advertised.
    pub(super) fn has(&self, path: &str) -> bool {
        let found =
            path.split('.').try_fold(&self.setting.capabilities, |value, name| value.get(name));
        path.is_empty() || found.is_some_and(|it| it.is_object() || *it == Value::Bool(true))
    }

    /// Whether the client advertises one of the capabilities in `gate`, which are separated by commas.
    pub(super) fn passes(&self, gate: &str) -> bool {
        gate.split(", ").any(|path| self.has(path))
    }

    /// A new id for a tool call, plan or message, such as `call-1-2`; unique in the session.
    pub(super) fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}-{}-{}", self.number, self.ids)
    }

    /// Sends several session updates in one write, so that they arrive together.
    pub(super) fn updates(&mut self, updates: &[Value]) {
        let is_text = |update: &&Value| {
            let kind = update["sessionUpdate"].as_str();
            kind.is_some_and(|kind| kind.starts_with("agent_message"))
        };
        if let Some(last) = updates.iter().rfind(is_text) {
            let text = last["content"]["text"].as_str();
            self.is_in_paragraph = text.is_none_or(|text| !text.ends_with(GAP));
        }
        let messages: Vec<_> = updates.iter().map(|update| self.update_message(update)).collect();
        self.link.send(&messages);
    }

    pub(super) fn update_message(&self, update: &Value) -> Value {
        update_message(&self.setting.session, update)
    }

    /// Sends one session update.
    pub(super) fn update(&mut self, update: Value) {
        self.updates(&[update]);
    }

    /// Sends a text to the user as a chunk of an agent message.
    pub(super) fn say(&mut self, text: &str) {
        self.content("agent_message_chunk", &json!({ "type": "text", "text": text }));
    }

    /// Says a text that is a paragraph of its own, or several. Clients show texts as Markdown.
    pub(super) fn say_apart(&mut self, text: &str) {
        let before = if self.is_in_paragraph { GAP } else { "" };
        self.say(&format!("{before}{text}{GAP}"));
    }

    pub(super) fn think(&mut self, text: &str) {
        self.content("agent_thought_chunk", &json!({ "type": "text", "text": text }));
    }

    /// Sends a content block as a chunk of a message. `kind` is the kind of update, such as
    /// `agent_message_chunk`.
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

    /// Announces a new tool call and returns its id. `more` are members of the update besides id
    /// and title.
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

    /// Sends an update of a tool call. `more` are its members besides the id.
    pub(super) fn tool_update(&mut self, id: &str, more: Value) {
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": id });
        self.update(joined(update, more));
    }

    /// Sets the status of a tool call to `completed`.
    pub(super) fn finish_call(&mut self, id: &str) {
        self.tool_update(id, json!({ "status": "completed" }));
    }

    /// Sends a plan of entries. On version 1 a session has only one plan, so `id` is not sent.
    pub(super) fn plan(&mut self, id: &str, entries: &[Value]) {
        let update = match self.setting.version {
            Version::V1 => json!({ "sessionUpdate": "plan", "entries": entries }),
            Version::V2 => return self.plan_of(id, entries),
        };
        self.update(update);
    }

    /// Sends a plan of entries with an id, as a `plan_update`.
    pub(super) fn plan_of(&mut self, id: &str, entries: &[Value]) {
        let plan = json!({ "type": "items", "planId": id, "entries": entries });
        self.update(json!({ "sessionUpdate": "plan_update", "plan": plan }));
    }

    /// Sends a notification, also of methods that the protocol does not have.
    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.link.send(&[json!({ "jsonrpc": "2.0", "method": method, "params": params })]);
    }

    /// Sends a request with a new id. The result is for `answer`.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Open {
        let id = self.link.next_id();
        self.request_as(id.into(), method, Some(params))
    }

    /// Reserves an id that no request of the agent has used.
    pub(super) fn new_request_id(&self) -> Value {
        self.link.next_id().into()
    }

    /// Sends a request with this id. `None` sends no `params`.
    pub(super) fn request_as(&mut self, id: Value, method: &str, params: Option<Value>) -> Open {
        self.link.wait_for(&id, &self.ear);
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let Some(params) = params {
            message["params"] = params;
        }
        self.link.send(&[message]);
        Open { id }
    }

    /// Tells the client that the agent no longer waits for the answer to a request, unless the
    /// answer has come. The client answers all the same.
    pub(super) fn withdraw(&mut self, open: &Open) {
        if !self.has_answer(open) {
            self.notify("$/cancel_request", &json!({ "requestId": open.id }));
        }
    }

    /// Waits for an answer that the client gives without asking its user. Fails when it does not
    /// come in time, or the connection or turn ends.
    pub(super) fn answer(&mut self, open: &Open) -> Result<Reply, Stop> {
        self.answer_within(open, self.setting.timeout)
    }

    /// Waits for an answer that a person has to give, which may take longer.
    pub(super) fn answer_of_user(&mut self, open: &Open) -> Result<Reply, Stop> {
        self.answer_within(open, self.setting.patience)
    }

    /// Waits for an answer for at most `within`. Fails with `Stop::Silent` after that.
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

    /// Sends a request and waits for an answer that the client gives without asking its user. Fails
    /// when it does not come in time, or the connection or turn ends.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Result<Reply, Stop> {
        let open = self.request(method, params);
        self.answer(&open)
    }

    /// Checks that the client still reads and writes: it must answer a request, even with an error.
    pub(super) fn alive(&mut self) -> Result<(), Stop> {
        self.ask("_acpcheck/alive", json!({})).map(drop)
    }

    /// Waits for this time. Fails early if the client closes the connection or the user stops the
    /// turn.
    pub(super) fn pause(&mut self, time: Duration) -> Result<(), Stop> {
        let deadline = Instant::now() + time;
        while self.hear(deadline)? {}
        Ok(())
    }

    /// Waits until the user stops the turn. Returns `false` when that does not happen within
    /// `time`.
    pub(super) fn cancelled_within(&mut self, time: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + time;
        while !self.is_cancelled {
            if !self.hear(deadline)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the client's answer to a request has come already.
    pub(super) fn has_answer(&self, open: &Open) -> bool {
        self.early.iter().any(|it| it["id"] == open.id)
    }

    /// Waits until the client answers anything, or the user stops the turn. Returns `false` when
    /// `within` has passed.
    pub(super) fn hear_once(&mut self, within: Duration) -> Result<bool, Stop> {
        self.hear(Instant::now() + within)
    }

    /// Waits for one event: an answer, the stop of the turn, the end of the connection. Returns
    /// `false` at the deadline.
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

/// The `session/update` notification with an update.
pub(super) fn update_message(session: &str, update: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": { "sessionId": session, "update": update },
    })
}

/// A JSON object with the members of both values; those of `more` replace equal ones.
fn joined(mut object: Value, more: Value) -> Value {
    let more = if let Value::Object(more) = more { more } else { Map::new() };
    if let Some(object) = object.as_object_mut() {
        object.extend(more);
    }
    object
}
