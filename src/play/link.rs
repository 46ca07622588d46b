//! The connection to the client: all that is said goes through here, where it is recorded and judged.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
};

use serde_json::{Value, json};

use crate::{
    check::Settings,
    play::{
        Played,
        judge::{Found, Judge},
    },
    protocol::Side,
    record::{Driven, End},
    report::Plural,
    rule::Severity,
};

/// The pipe to the client, and the file of the recording.
pub trait Wire: Send {
    /// Records what a side has said.
    fn record(&mut self, sender: Side, bytes: &[u8]);

    /// Sends bytes to the client.
    fn send(&mut self, bytes: Vec<u8>);

    /// Records how a scenario ended.
    fn scenario(&mut self, played: &Played);

    /// Records that a side says no more.
    fn end(&mut self, sender: Side, end: End);
}

/// What a scenario hears from the client.
#[derive(Clone, Debug)]
pub enum Heard {
    /// The answer to a request of the agent.
    Answer(Value),
    /// The user has stopped the turn.
    Cancelled,
    /// The client has closed the connection.
    Ended,
}

/// The connection to a client, shared by the agent and the turns that it plays.
pub struct Link {
    inner: Mutex<Inner>,
}

struct Inner {
    wire: Box<dyn Wire>,
    judge: Option<Judge>,
    /// What was found about the client.
    found: Vec<Found>,
    /// How many of them the chat has told.
    told: usize,
    played: Vec<Played>,
    exercised: usize,
    /// Who waits for an answer, by the request's id as JSON.
    waiting: BTreeMap<String, Sender<Heard>>,
    /// The turns that are played.
    turns: Vec<Turn>,
    next_id: u64,
    next_turn: u64,
    is_over: bool,
}

/// A turn that is played.
struct Turn {
    number: u64,
    session: String,
    prompt: Value,
    ear: Sender<Heard>,
}

/// The most turns that are played at once.
const MOST_TURNS: usize = 16;

/// What a connection has come to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How the scenarios ended, in the order in which they did.
    pub played: Vec<Played>,
    pub errors: usize,
    pub warnings: usize,
    /// How many rules about the client's conduct were exercised.
    pub exercised: usize,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |state: &str| {
            let names: Vec<_> =
                self.played.iter().filter(|it| it.state == state).map(|it| it.name).collect();
            (!names.is_empty()).then(|| format!("{} {state} ({})", names.len(), names.join(", ")))
        };
        let done = self.played.iter().filter(|it| it.state == "done").count();
        let mut parts = vec![format!("{} done", Plural(done as u64, "scenario"))];
        let others = ["silent", "ended", "refused", "not offered", "not cancelled", "closed"];
        parts.extend(others.into_iter().filter_map(named));
        let errors = Plural(self.errors as u64, "error");
        let warnings = Plural(self.warnings as u64, "warning");
        let (parts, exercised) = (parts.join(", "), self.exercised);
        write!(f, "{parts}. {errors}, {warnings}. {exercised} rules exercised.")
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    pub fn new(wire: Box<dyn Wire>, settings: &Settings, driven: &Driven<'_>) -> Self {
        let inner = Inner {
            wire,
            judge: Some(Judge::new(settings, driven)),
            found: Vec::new(),
            told: 0,
            played: Vec::new(),
            exercised: 0,
            waiting: BTreeMap::new(),
            turns: Vec::new(),
            next_id: 0,
            next_turn: 0,
            is_over: false,
        };
        Self { inner: Mutex::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a line of the client, with its line break. Returns what was found when it was judged.
    pub fn hear(&self, line: &[u8]) -> Vec<Found> {
        self.lock().take(Side::Client, line)
    }

    /// Sends messages in one write.
    pub(super) fn send(&self, messages: &[Value]) {
        let lines: Vec<_> = messages.iter().map(Value::to_string).collect();
        self.send_lines(&lines);
    }

    /// Sends lines, each without its line break, in one write.
    pub(super) fn send_lines(&self, lines: &[String]) {
        let mut inner = self.lock();
        if inner.is_over || lines.is_empty() {
            return;
        }
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        inner.take(Side::Agent, &bytes);
        inner.wire.send(bytes);
    }

    /// Sends an error as the answer to a request.
    pub(super) fn refuse(&self, id: &Value, code: i64, message: &str, data: Value) {
        let mut error = json!({ "code": code, "message": message });
        if !data.is_null() {
            error["data"] = data;
        }
        self.send(&[json!({ "jsonrpc": "2.0", "id": id, "error": error })]);
    }

    /// The next id for a request of the agent.
    pub(super) fn next_id(&self) -> u64 {
        let mut inner = self.lock();
        inner.next_id += 1;
        inner.next_id
    }

    /// Sees to it that the next ids are behind this one.
    pub(super) fn leave_out_id(&self, id: u64) {
        let mut inner = self.lock();
        inner.next_id = inner.next_id.max(id);
    }

    /// Lets `ear` have the answer to the request with this id.
    pub(super) fn wait_for(&self, id: &Value, ear: &Sender<Heard>) {
        self.lock().waiting.insert(id.to_string(), ear.clone());
    }

    /// Hands the client's answer to who waits for it.
    pub(super) fn answer(&self, message: Value) {
        let waiting = self.lock().waiting.remove(&message["id"].to_string());
        if let Some(ear) = waiting {
            // Who has waited may be gone.
            let _ = ear.send(Heard::Answer(message));
        }
    }

    /// Begins a turn. Returns its number, and what it hears; `None` when too many are played.
    pub(super) fn begin_turn(
        &self,
        session: &str,
        prompt: &Value,
    ) -> Option<(u64, Sender<Heard>, Receiver<Heard>)> {
        let mut inner = self.lock();
        if inner.turns.len() >= MOST_TURNS || inner.is_over {
            return None;
        }
        let (ear, heard) = channel();
        inner.next_turn += 1;
        let number = inner.next_turn;
        inner.turns.push(Turn {
            number,
            session: session.to_owned(),
            prompt: prompt.clone(),
            ear: ear.clone(),
        });
        Some((number, ear, heard))
    }

    /// Ends a turn.
    pub(super) fn end_turn(&self, number: u64) {
        self.lock().turns.retain(|turn| turn.number != number);
    }

    /// Stops the turns of a session.
    pub(super) fn cancel_session(&self, session: &str) {
        self.cancel(|turn| turn.session == session);
    }

    /// Stops the turn of a prompt.
    pub(super) fn cancel_prompt(&self, id: &Value) {
        self.cancel(|turn| turn.prompt == *id);
    }

    fn cancel(&self, is_it: impl Fn(&Turn) -> bool) {
        for turn in self.lock().turns.iter().filter(|turn| is_it(turn)) {
            // A turn that is over hears nothing.
            let _ = turn.ear.send(Heard::Cancelled);
        }
    }

    /// Whether no turn is played.
    pub fn is_idle(&self) -> bool {
        self.lock().turns.is_empty()
    }

    /// Tells all turns that the client has closed the connection.
    pub fn hang_up(&self) {
        for turn in &self.lock().turns {
            // A turn that is over hears nothing.
            let _ = turn.ear.send(Heard::Ended);
        }
    }

    /// Notes how a scenario ended.
    pub(super) fn note(&self, played: Played) {
        let mut inner = self.lock();
        inner.wire.scenario(&played);
        if let Some(judge) = &mut inner.judge {
            judge.note(&played);
        }
        inner.played.push(played);
    }

    /// What was found since the chat was told last.
    pub(super) fn untold(&self) -> Vec<Found> {
        let mut inner = self.lock();
        let untold = inner.found[inner.told..].to_vec();
        inner.told = inner.found.len();
        untold
    }

    /// What the connection has come to so far.
    pub fn summary(&self) -> Summary {
        let inner = self.lock();
        let count = |severity| inner.found.iter().filter(|it| it.severity == severity).count();
        Summary {
            played: inner.played.clone(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            exercised: inner.judge.as_ref().map_or(inner.exercised, Judge::exercised),
        }
    }

    /// Says that the client sends no more: `rest` is what stands behind its last line break.
    pub fn end_client(&self, rest: &[u8]) {
        let mut inner = self.lock();
        if !rest.is_empty() {
            inner.take(Side::Client, rest);
        }
        inner.end(Side::Client, End::Eof);
    }

    /// Ends the connection. Returns what was found about the client in all of it.
    pub fn finish(&self) -> Vec<Found> {
        let mut inner = self.lock();
        inner.is_over = true;
        inner.end(Side::Client, End::ReaderGone);
        inner.end(Side::Agent, End::Eof);
        if let Some(judge) = inner.judge.take() {
            inner.exercised = judge.exercised();
            inner.found = judge.finish();
        }
        inner.found.clone()
    }
}

impl Inner {
    fn take(&mut self, sender: Side, bytes: &[u8]) -> Vec<Found> {
        self.wire.record(sender, bytes);
        let found = self.judge.as_mut().map(|judge| judge.take(sender, bytes)).unwrap_or_default();
        self.keep(found.clone());
        found
    }

    fn end(&mut self, sender: Side, end: End) {
        self.wire.end(sender, end);
        let found = self.judge.as_mut().map(|judge| judge.end(sender, end)).unwrap_or_default();
        self.keep(found);
    }

    fn keep(&mut self, found: Vec<Found>) {
        /// How many findings are kept; the recording has the others.
        const MOST: usize = 1000;
        let room = MOST.saturating_sub(self.found.len());
        self.found.extend(found.into_iter().take(room));
    }
}
