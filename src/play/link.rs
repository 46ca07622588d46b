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
    map::IndexMap,
    play::{
        Played,
        judge::{Found, Judge},
    },
    protocol::Side,
    record::{Driven, End},
    report::Plural,
    rule::Severity,
};

/// Where a `Link` writes to: the pipe to the client, and the recording.
pub trait Wire: Send {
    /// Writes bytes that a side has sent into the recording.
    fn record(&mut self, sender: Side, bytes: &[u8]);

    /// Writes bytes, one or more lines, to the client.
    fn send(&mut self, bytes: Vec<u8>);

    /// Writes the result of a scenario as a line of the recording.
    fn scenario(&mut self, played: &Played);

    /// Writes into the recording that a side sends no more, and why.
    fn end(&mut self, sender: Side, end: End);
}

/// What a played turn learns from the client while it waits.
#[derive(Clone, Debug)]
pub enum Heard {
    /// The client answered a request of the agent; the whole message.
    Answer(Value),
    /// The client has sent `session/cancel`: the user stopped the turn.
    Cancelled,
    /// The client has closed the connection: no more messages come.
    Ended,
}

/// The connection to a client: sends, records and checks its messages. The played agent and its
/// turns share it.
pub struct Link {
    inner: Mutex<Inner>,
}

struct Inner {
    wire: Box<dyn Wire>,
    judge: Option<Judge>,
    /// All findings about the client so far, so that the chat can show the new ones.
    found: Vec<Found>,
    /// How many of the findings in `found`, from the first, the chat has already shown.
    told: usize,
    played: Vec<Played>,
    exercised: usize,
    /// Channels of the turns that wait for an answer, by the id of the request, spelled as JSON.
    waiting: BTreeMap<String, Sender<Heard>>,
    turns: Vec<Turn>,
    next_id: u64,
    next_turn: u64,
    is_over: bool,
}

/// A turn that is being played, and the channel by which it hears from the client.
struct Turn {
    number: u64,
    session: String,
    prompt: Value,
    ear: Sender<Heard>,
}

/// Most turns that are played at the same time; further prompts are refused.
const MOST_TURNS: usize = 16;

/// The result of a whole connection with a client, for the report at the end.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The results of all scenarios that have ended, in the order of their ends.
    pub played: Vec<Played>,
    pub errors: usize,
    pub warnings: usize,
    /// Number of rules about the client that were exercised.
    pub exercised: usize,
}

/// Findings with the same rule and text, which the chat shows once.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    /// The first of them.
    pub(super) found: Found,
    pub(super) times: usize,
    /// Whether the chat has told the cause before.
    pub(super) is_told: bool,
}

/// The causes of the warnings and errors among the findings from the index `first` on.
fn causes(found: &[Found], first: usize) -> Vec<Cause> {
    let mut causes: IndexMap<(&str, &str), Cause> = IndexMap::default();
    for (index, found) in found.iter().enumerate() {
        if found.severity < Severity::Warning {
            continue;
        }
        let cause = Cause { found: found.clone(), times: 0, is_told: index < first };
        let cause = causes.entry((found.rule, &found.message)).or_insert(cause);
        cause.times += usize::from(index >= first);
    }
    causes.into_values().filter(|cause| cause.times > 0).collect()
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

    /// Records and checks a line of the client, with its line break. Returns the new findings about
    /// the client.
    pub fn hear(&self, line: &[u8]) -> Vec<Found> {
        self.lock().take(Side::Client, line)
    }

    /// Sends messages to the client in one write, one per line.
    pub(super) fn send(&self, messages: &[Value]) {
        let lines: Vec<_> = messages.iter().map(Value::to_string).collect();
        self.send_lines(&lines);
    }

    /// Sends lines to the client in one write; each comes without its line break. Does nothing once
    /// the connection is over.
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

    /// Answers a request of the client with an error. `data` is left out when it is null.
    pub(super) fn refuse(&self, id: &Value, code: i64, message: &str, data: Value) {
        let mut error = json!({ "code": code, "message": message });
        if !data.is_null() {
            error["data"] = data;
        }
        self.send(&[json!({ "jsonrpc": "2.0", "id": id, "error": error })]);
    }

    /// Takes a new id for a request of the agent; ids count up.
    pub(super) fn next_id(&self) -> u64 {
        let mut inner = self.lock();
        inner.next_id += 1;
        inner.next_id
    }

    /// Raises the counter of request ids, so that later ids of the agent are above `id`.
    pub(super) fn leave_out_id(&self, id: u64) {
        let mut inner = self.lock();
        inner.next_id = inner.next_id.max(id);
    }

    /// Registers `ear` as the receiver of the answer to the request with this id.
    pub(super) fn wait_for(&self, id: &Value, ear: &Sender<Heard>) {
        self.lock().waiting.insert(id.to_string(), ear.clone());
    }

    /// Passes an answer of the client to the turn that waits for it; ignores an answer that no turn
    /// waits for.
    pub(super) fn answer(&self, message: Value) {
        let waiting = self.lock().waiting.remove(&message["id"].to_string());
        if let Some(ear) = waiting {
            // Who has waited may be gone.
            let _ = ear.send(Heard::Answer(message));
        }
    }

    /// Registers a turn. Returns its number and both ends of its channel; `None` when `MOST_TURNS`
    /// are being played or the connection is over.
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

    /// Removes a turn that has ended, so that it gets no more events.
    pub(super) fn end_turn(&self, number: u64) {
        self.lock().turns.retain(|turn| turn.number != number);
    }

    /// Tells all turns of a session that the user has stopped them, after `session/cancel`.
    pub(super) fn cancel_session(&self, session: &str) {
        self.cancel(|turn| turn.session == session);
    }

    /// Tells the turn of the prompt with this request id that the user has stopped it.
    pub(super) fn cancel_prompt(&self, id: &Value) {
        self.cancel(|turn| turn.prompt == *id);
    }

    fn cancel(&self, is_it: impl Fn(&Turn) -> bool) {
        for turn in self.lock().turns.iter().filter(|turn| is_it(turn)) {
            // A turn that is over hears nothing.
            let _ = turn.ear.send(Heard::Cancelled);
        }
    }

    /// Whether a turn of a session is played.
    pub(super) fn has_turn(&self, session: &str) -> bool {
        self.lock().turns.iter().any(|turn| turn.session == session)
    }

    /// Whether no turn is being played.
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

    /// Writes the result of a scenario into the recording, and keeps it for the summary.
    pub(super) fn note(&self, played: Played) {
        let mut inner = self.lock();
        inner.wire.scenario(&played);
        if let Some(judge) = &mut inner.judge {
            judge.note(&played);
        }
        inner.played.push(played);
    }

    /// The warnings and errors about the client that the chat has not told yet; later calls leave them
    /// out.
    pub(super) fn untold(&self) -> Vec<Cause> {
        let mut inner = self.lock();
        let causes = causes(&inner.found, inner.told);
        inner.told = inner.found.len();
        causes
    }

    /// The warnings and errors about the client so far.
    pub(super) fn causes(&self) -> Vec<Cause> {
        causes(&self.lock().found, 0)
    }

    /// The results so far: scenarios, findings, and number of exercised rules.
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

    /// Records that the client has closed its side. `rest` is what came after its last line break.
    pub fn end_client(&self, rest: &[u8]) {
        let mut inner = self.lock();
        if !rest.is_empty() {
            inner.take(Side::Client, rest);
        }
        inner.end(Side::Client, End::Eof);
    }

    /// Ends the connection and its check. Returns all findings about the client.
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
        /// Most findings that are kept in memory; the recording shows the others.
        const MOST: usize = 1000;
        let room = MOST.saturating_sub(self.found.len());
        self.found.extend(found.into_iter().take(room));
    }
}
