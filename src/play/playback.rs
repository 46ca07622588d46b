//! Plays the agent's side of a recording for a live client.
//!
//! The client's messages in the recording are gates: what the agent says up to the client's next request is
//! said when the client has said what stands before it. Times are not replayed.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    check::{Sending, Settings, sendings},
    json::Node,
    map::Map,
    play::Played,
    protocol::{
        Side,
        methods::{attaches_session, creates_session},
    },
    transcript::{
        Passage, Reader, RecordedMessage, apparent::likely_answering_side, labels::method_sender,
    },
};

/// The name that stands for the played recording where reports name a scenario.
pub const PLAYBACK: &str = "playback";

/// The messages of both sides on the first connection of a recording, in the form of steps that a
/// playback takes one by one.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// The agent sends this message; `text` is its JSON.
    Agent { text: String, message: Value },
    /// The client sends a request of this method; the playback waits for such a request.
    Request { method: String, id: Value, params: Value },
    /// The client stops a turn or withdraws a request with this method; the playback waits for
    /// that.
    Stop(String),
    /// The client answers the agent's request with this id; the playback waits for that.
    Answer(Value),
}

impl Recorded {
    /// Reads a recording. Fails where it has no message of an agent, with a sentence without a full
    /// stop.
    pub fn read(bytes: &[u8], settings: &Settings) -> Result<Self, String> {
        let mut reading = Reading::new(sendings(bytes, settings));
        let mut reader = Reader::new(settings.format);
        reader.feed(bytes, &mut |passage| reading.see(passage));
        let remarks = reader.finish(&mut |passage| reading.see(passage));
        let steps = reading.steps;
        if steps.iter().any(|step| matches!(step, Step::Agent { .. })) {
            return Ok(Self { steps });
        }
        let why = remarks.refusal.or_else(|| remarks.silence.map(str::to_owned));
        Err(why.unwrap_or_else(|| "no message of an agent is recorded".to_owned()))
    }

    /// First text of the client's first prompt in the recording; `None` where it has no text.
    pub fn prompt(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match step {
            Step::Request { method, params, .. } if method == "session/prompt" => {
                params["prompt"].as_array()?.iter().find_map(|block| block["text"].as_str())
            }
            _ => None,
        })
    }
}

/// Collects the steps of the first connection while a recording is read.
#[derive(Debug)]
struct Reading {
    steps: Vec<Step>,
    /// Senders that checking the recording has found, by the offset of the message.
    sendings: Map<u64, Sending>,
    /// Name of the connection whose messages the reader passes now; `None` in recordings without
    /// names.
    now: Option<String>,
    /// Name of the connection of the recording that is played, which is that of the first message;
    /// `None` for messages without a name.
    kept: Option<String>,
    has_begun: bool,
    /// Number of the collected connection; `None` until a message has shown it.
    connection: Option<u32>,
    before: Option<Side>,
    asked: [BTreeSet<String>; 2],
    /// Ids of requests whose sender is unknown, so that answers to them have no sender either.
    unknown: BTreeSet<String>,
}

impl Reading {
    fn new(sendings: Map<u64, Sending>) -> Self {
        Self {
            steps: Vec::new(),
            sendings,
            now: None,
            kept: None,
            has_begun: false,
            connection: None,
            before: None,
            asked: [BTreeSet::new(), BTreeSet::new()],
            unknown: BTreeSet::new(),
        }
    }

    fn see(&mut self, passage: Passage<'_>) {
        match passage {
            Passage::Connection(name) => self.now = name.map(str::to_owned),
            Passage::Message(message) => self.take(&message),
            _ => {}
        }
    }

    fn take(&mut self, recorded: &RecordedMessage<'_>) {
        let node = recorded.node;
        let sending = self.sendings.get(&node.span().start).copied();
        if !std::mem::replace(&mut self.has_begun, true) {
            self.kept.clone_from(&self.now);
        }
        if self.kept != self.now {
            return;
        }
        if let Some(Sending { connection, .. }) = sending
            && connection != *self.connection.get_or_insert(connection)
        {
            return;
        }
        let text = node.raw();
        let Ok(message) = serde_json::from_str::<Value>(text) else { return };
        let sender = recorded.sender.or_else(|| sending?.sender).or_else(|| self.sender(node));
        let id = message.get("id");
        let Some(sender) = sender else {
            self.unknown.extend(id.map(Value::to_string));
            return;
        };
        self.before = Some(sender);
        // One message is one line.
        let text = if text.contains('\n') { message.to_string() } else { text.to_owned() };
        let method = message["method"].as_str();
        if let (Some(_), Some(id)) = (method, id) {
            self.asked[sender as usize].insert(id.to_string());
        }
        let step = match (sender, method, id) {
            (Side::Agent, ..) => Step::Agent { text, message },
            (Side::Client, Some(method), Some(id)) => Step::Request {
                method: method.to_owned(),
                id: id.clone(),
                params: message["params"].clone(),
            },
            (Side::Client, Some(method @ ("session/cancel" | "$/cancel_request")), None) => {
                Step::Stop(method.to_owned())
            }
            (Side::Client, None, Some(id)) => Step::Answer(id.clone()),
            (Side::Client, ..) => return,
        };
        self.steps.push(step);
    }

    /// The likely sender of a message that breaks rules: judged by its method or result, by the
    /// request with its id, or else as an answer to the message before.
    fn sender(&self, message: Node<'_>) -> Option<Side> {
        let known =
            method_sender(message).or_else(|| likely_answering_side(message.get("result")?));
        if known.is_some() || message.get("method").is_some() {
            return known;
        }
        let id: Value = serde_json::from_str(message.get("id")?.raw()).ok()?;
        if self.unknown.contains(&id.to_string()) {
            return None;
        }
        let has_asked = |side: Side| self.asked[side as usize].contains(&id.to_string());
        match (has_asked(Side::Client), has_asked(Side::Agent)) {
            (true, false) => Some(Side::Agent),
            (false, true) => Some(Side::Client),
            _ => Some(self.before?.peer()),
        }
    }
}

/// The state of playing a recording's agent side on a live connection.
#[derive(Clone, Debug)]
pub struct Playback {
    steps: Vec<Step>,
    /// Index of the step that is played next.
    at: usize,
    /// Requests of the client that have come early: a later step of the recording waits for them.
    waiting: Vec<Asked>,
    /// Requests of the client that were taken for requests in the recording and have no answer yet:
    /// their id in the recording, and on this connection.
    open: Vec<(Value, Value)>,
    /// Ids of the agent's requests that the client has answered, spelled as JSON.
    answered: BTreeSet<String>,
    /// Methods of `session/cancel` and `$/cancel_request` notifications that no step has taken yet.
    stops: Vec<String>,
    /// Ids of sessions in the recording, and the ids on this connection that they stand for.
    sessions: BTreeMap<String, String>,
    folders: Vec<(String, String)>,
    /// When the client last sent a message, to notice that nothing comes.
    latest: Instant,
}

/// A request of the client that waits for the step of the recording that answers it.
#[derive(Clone, Debug)]
struct Asked {
    method: String,
    id: Value,
    params: Value,
    /// The whole request, to be handled otherwise if the playback ends.
    message: Value,
}

/// A message that the agent sends while a recording is played back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The JSON text of the message on one line, without a line break.
    pub line: String,
    pub message: Value,
}

/// How a playback ended, and which requests of the client it leaves to the agent.
#[derive(Clone, Debug)]
pub struct PlaybackEnd {
    pub played: Played,
    /// Ids of requests of the client that the recording's agent was about to answer and that have
    /// no answer yet.
    pub open: Vec<Value>,
    /// Requests of the client that no step of the recording has answered, as whole messages.
    pub waiting: Vec<Value>,
}

impl Playback {
    pub fn new(recorded: Recorded) -> Self {
        Self {
            steps: recorded.steps,
            at: 0,
            waiting: Vec::new(),
            open: Vec::new(),
            answered: BTreeSet::new(),
            stops: Vec::new(),
            sessions: BTreeMap::new(),
            folders: Vec::new(),
            latest: Instant::now(),
        }
    }

    /// Whether all steps of the recording have been played.
    pub fn is_done(&self) -> bool {
        self.at >= self.steps.len()
    }

    /// Takes a request of the client if a later step waits for one of its method. Returns whether
    /// it did.
    pub fn request(&mut self, message: &Value) -> bool {
        let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else {
            return false;
        };
        let is_it =
            |step: &&Step| matches!(step, Step::Request { method: own, .. } if own == method);
        let left = self.steps[self.at..].iter().filter(is_it).count();
        let known = self.waiting.iter().filter(|asked| asked.method == method).count();
        if left <= known {
            return false;
        }
        self.waiting.push(Asked {
            method: method.to_owned(),
            id: id.clone(),
            params: message["params"].clone(),
            message: message.clone(),
        });
        self.latest = Instant::now();
        true
    }

    /// Notes that the client stopped a turn or withdrew a request, with this method.
    pub fn notification(&mut self, method: &str) {
        self.stops.push(method.to_owned());
        self.latest = Instant::now();
    }

    /// Notes that the client answered the agent's request with this id.
    pub fn answer(&mut self, id: &Value) {
        self.answered.insert(id.to_string());
        self.latest = Instant::now();
    }

    /// Plays further steps of the recording until one waits for the client. Returns the messages to
    /// send.
    pub fn say(&mut self) -> Vec<Said> {
        let mut said = Vec::new();
        while let Some(step) = self.steps.get(self.at).cloned() {
            let is_open = match &step {
                Step::Agent { text, message } => {
                    said.push(self.here(text, message));
                    true
                }
                Step::Request { method, id, params } => self.take(method, id, params),
                Step::Stop(method) => {
                    let place = self.stops.iter().position(|stop| stop == method);
                    place.map(|place| self.stops.remove(place)).is_some()
                }
                Step::Answer(id) => self.answered.contains(&id.to_string()) || !self.asks(id),
            };
            if !is_open {
                break;
            }
            self.at += 1;
        }
        said
    }

    /// Whether an earlier step of the agent is a request with this id.
    fn asks(&self, answered: &Value) -> bool {
        self.steps[..self.at].iter().any(|step| {
            matches!(step, Step::Agent { message, .. }
                if message["method"].is_string() && message["id"] == *answered)
        })
    }

    /// Takes the client's request for a step, and notes which session and directory stand for the
    /// recorded ones. Returns `false` as long as no request of this method has come.
    fn take(&mut self, method: &str, id: &Value, params: &Value) -> bool {
        let Some(place) = self.waiting.iter().position(|asked| asked.method == method) else {
            return false;
        };
        let asked = self.waiting.remove(place);
        if let (Some(own), Some(here)) =
            (params["sessionId"].as_str(), asked.params["sessionId"].as_str())
        {
            self.sessions.insert(own.to_owned(), here.to_owned());
        }
        let sets_folder = creates_session(method) || attaches_session(method);
        if let (true, Some(own), Some(here)) =
            (sets_folder, params["cwd"].as_str(), asked.params["cwd"].as_str())
        {
            self.folders.retain(|(folder, _)| folder != own);
            self.folders.push((own.to_owned(), here.to_owned()));
        }
        self.open.push((id.clone(), asked.id));
        true
    }

    /// A recorded message of the agent, with the ids and directories of this connection in place of
    /// the recorded ones.
    fn here(&mut self, text: &str, message: &Value) -> Said {
        let mut here = message.clone();
        if message["method"].is_null()
            && let Some(place) = self.open.iter().position(|(own, _)| *own == message["id"])
        {
            here["id"] = self.open.remove(place).1;
        }
        self.translate(&mut here, false);
        let line = if here == *message { text.to_owned() } else { here.to_string() };
        Said { line, message: here }
    }

    /// Replaces recorded session ids and directories in a JSON value by those of this connection.
    /// `is_session` says that `value` is a session id.
    fn translate(&self, value: &mut Value, is_session: bool) {
        // As deep as values are nested in a JSON text that was read.
        match value {
            Value::String(text) if is_session => {
                if let Some(here) = self.sessions.get(text) {
                    text.clone_from(here);
                }
            }
            Value::String(text) => {
                if let Some(moved) = self.moved(text) {
                    *text = moved;
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    self.translate(element, false);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.translate(member, name == "sessionId");
                }
            }
            _ => {}
        }
    }

    /// The path or `file://` URI moved from a recorded directory to that of this connection; `None`
    /// where it is in no recorded one.
    fn moved(&self, text: &str) -> Option<String> {
        let (scheme, path) = match text.strip_prefix("file://") {
            Some(path) => ("file://", path),
            None => ("", text),
        };
        self.folders.iter().rev().filter(|(own, here)| own != here).find_map(|(own, here)| {
            let rest = path.strip_prefix(own.trim_end_matches('/'))?;
            let is_below = rest.is_empty() || rest.starts_with('/');
            is_below.then(|| format!("{scheme}{}{rest}", here.trim_end_matches('/')))
        })
    }

    /// Ends the playback if the client keeps a step waiting: for an answer, `timeout`; for a
    /// request, also two seconds while other requests wait. `None` if it goes on.
    pub fn end_if_stuck(&mut self, timeout: Duration) -> Option<PlaybackEnd> {
        /// How long other requests may wait for one that comes earlier in the recording.
        const ORDER: Duration = Duration::from_secs(2);
        let quiet = self.latest.elapsed();
        let is_stuck = match self.steps.get(self.at)? {
            // A client that waits for nothing may take its time.
            Step::Request { .. } => {
                !self.waiting.is_empty() && quiet > ORDER
                    || !self.open.is_empty() && quiet > timeout
            }
            Step::Answer(_) => quiet > timeout,
            Step::Agent { .. } | Step::Stop(_) => false,
        };
        is_stuck.then(|| self.end(false))
    }

    /// Ends the playback, and says which step it stopped at. `is_closed` says that the client has
    /// closed the connection.
    pub fn end(&mut self, is_closed: bool) -> PlaybackEnd {
        let (state, step) = match self.steps.get(self.at) {
            None => ("done", String::new()),
            Some(Step::Request { method, .. }) => ("not played", format!("`{method}` never came")),
            Some(Step::Stop(_)) => ("not cancelled", String::new()),
            Some(Step::Answer(id)) if is_closed => ("ended", self.asked(id)),
            Some(Step::Answer(id)) => ("silent", self.asked(id)),
            // It is said before anything else can happen.
            Some(Step::Agent { .. }) => ("ended", String::new()),
        };
        self.at = self.steps.len();
        let open = std::mem::take(&mut self.open).into_iter().map(|(_, here)| here).collect();
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|it| it.message).collect();
        PlaybackEnd { played: Played { name: PLAYBACK, state, step }, open, waiting }
    }

    /// Method of the agent's request with this id; empty where there is none.
    fn asked(&self, id: &Value) -> String {
        self.steps[..self.at]
            .iter()
            .rev()
            .find_map(|step| match step {
                Step::Agent { message, .. } if message["id"] == *id => message["method"].as_str(),
                _ => None,
            })
            .unwrap_or_default()
            .to_owned()
    }
}
