//! One message after another: which events it is, who hears of them, what it does to the state.

use std::{mem, sync::Arc};

use crate::{
    check::{
        Head, Outcome, Settings, Tail, Tally,
        court::{Court, Ground},
        dispatch::Dispatch,
        lanes::{Lane, Lanes},
        limits::Unassessed,
        schemas::{Definitions, Schemas},
        survey::{Ledger, Surveyor, seat},
        watch::{Act, Sight, Watcher},
    },
    diagnostic::Diagnostic,
    event::{Block, Call, End, Envelope, Message, MethodStatus, PlanRemoved, Update, blocks},
    json::{Node, Text},
    model::{
        Anchor, Answer, Connection, ConnectionSettings, Id, MessagePart, PlanUpdated, Pointer,
        Request, Response, SchemaEvent, Stray, StrayKind,
        connection::{
            negotiation::UNSUPPORTED_VERSION,
            rpc::{Ambiguity, ResponseMatch, is_drawn},
        },
        response::Contested,
        session::plans::PlanSnapshot,
    },
    protocol::{
        Edition, Side, Surface, Version,
        schema::{Accepts, FaultKind, Observation, Protocol, ResponseFit, SchemaFault},
    },
    rule::On,
    rules::CATALOGUE,
    source::Span,
    transcript::{
        Extent, Flaw, FlawKind, Passage, RecordedMessage, RecordingTraits,
        apparent::answering_side, limits::ONLY_AT_FIRST, looks_like_message, redaction,
    },
};

/// How many places of one part of a message are judged that its definition does not know or refuses:
/// nobody reads more, and to say where each of a million stands would take for ever.
const PLACES: usize = 1000;

/// Judges the messages of a file.
#[derive(Debug)]
pub(super) struct Judge {
    profile: ConnectionSettings,
    /// Who hears of what, by version.
    dispatch: Arc<[Dispatch; 2]>,
    court: Court,
    messages: u64,
    /// Messages of the client, of the agent, and of nobody knows whom.
    senders: [u64; 3],
    last: Option<Span>,
    /// The id of the connection's first `initialize`: the same again begins another connection.
    opened_with: Option<Id>,
    watcher: Option<Watcher>,
    surveyor: Option<Surveyor>,
    lanes: Lanes,
    /// What the recorder drops, and which rules that silences.
    unassessed: Vec<Unassessed>,
    /// Whether the end of the file is missing.
    is_cut: bool,
    /// How many connections have messages, and how many of them no `initialize`.
    met: u32,
    uninitialized: u32,
    /// Whether one of those begins in the middle.
    is_headless: bool,
}

/// A part of a message that a definition describes.
#[derive(Clone, Copy, Debug)]
struct Described<'t> {
    message: &'t Message<'t>,
    version: Version,
    method: &'t str,
    part: MessagePart,
    request: Option<&'t Request>,
}

impl<'t> Described<'t> {
    fn shape<T>(&self, what: T) -> SchemaEvent<'t, T> {
        let Self { message, version, method, part, request } = *self;
        SchemaEvent { message, version, method, part, what, request }
    }
}

/// What an update does to a plan.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it stays where it is")]
enum Plan<'t> {
    Updated(PlanUpdated<'t>),
    Removed(PlanRemoved<'t>),
}

/// Whether the params or the result of `initialize` name a version that is not published.
fn names_unpublished(part: Option<Node<'_>>) -> bool {
    let version = part.and_then(|part| part.get("protocolVersion")?.integer());
    version.is_some_and(|number| Version::of(number).is_none())
}

impl Judge {
    pub(super) fn new(settings: &Settings) -> Self {
        let profile = ConnectionSettings {
            surface: settings.surface,
            edition: settings.edition,
            head: match settings.head {
                Head::Auto => None,
                Head::Complete => Some(true),
                Head::Truncated => Some(false),
            },
            tail: match settings.tail {
                Tail::Auto => None,
                Tail::Open => Some(false),
                Tail::Closed => Some(true),
            },
            recording: RecordingTraits::default(),
        };
        Self {
            dispatch: settings.severities.dispatch(),
            court: Court::new(settings, Box::new(Connection::new(profile.clone()))),
            profile,
            messages: 0,
            senders: [0; 3],
            last: None,
            opened_with: None,
            watcher: None,
            surveyor: None,
            lanes: Lanes::default(),
            unassessed: Vec::new(),
            is_cut: false,
            met: 0,
            uninitialized: 0,
            is_headless: false,
        }
    }

    pub(super) fn be_watched(&mut self, watcher: Watcher) {
        self.watcher = Some(watcher);
    }

    pub(super) fn be_surveyed(&mut self) {
        self.surveyor = Some(Surveyor::default());
        self.court.ledger = Ledger::new(true);
    }

    /// Judges the next passage of the transcript.
    pub(super) fn see(&mut self, passage: Passage<'_>) {
        match passage {
            Passage::Traits(recording) => self.assume(recording),
            Passage::Connection(lane) => self.enter(lane),
            Passage::Message(message) => self.message(message),
            Passage::Flaw(flaw) => self.flaw(flaw),
            Passage::Gap => self.court.connection.lose(),
            Passage::Cut => self.is_cut = true,
        }
    }

    /// Takes what the beginning of the file tells of the whole.
    fn assume(&mut self, recording: &RecordingTraits) {
        let begins_late = recording.only.is_some() || recording.scatters;
        self.profile.head = self.profile.head.or(begins_late.then_some(false));
        self.unassessed = recording.limits.iter().map(Unassessed::of).collect();
        self.profile.recording = recording.clone();
        for rule in self.unassessed.iter().flat_map(Unassessed::indices) {
            // Those of framing hear of nothing but what the recorder keeps after all.
            let is_of_framing = |on: &On| matches!(on, On::Flaw(_));
            if !CATALOGUE[rule].on.iter().any(is_of_framing) {
                self.court.silence(rule);
            }
        }
        self.court.connection.assume(self.profile.clone());
    }

    pub(super) fn diagnostics(&mut self) -> &mut Vec<Diagnostic> {
        &mut self.court.diagnostics
    }

    /// What follows belongs to the connection in this lane.
    fn enter(&mut self, lane: Option<&str>) {
        if self.lanes.current() != lane {
            self.switch(lane);
        }
    }

    fn switch(&mut self, lane: Option<&str>) {
        // What goes through one hop comes to the next.
        let other_hops = self.court.connection.other_hops.take().unwrap_or_default();
        let connection = Box::new(Connection::new(self.profile.clone()));
        let here = Lane {
            connection: mem::replace(&mut self.court.connection, connection),
            number: self.court.number,
            last: self.last.take(),
            opened_with: self.opened_with.take(),
            ledger: match self.surveyor {
                Some(_) => mem::take(&mut self.court.ledger),
                None => Ledger::default(),
            },
        };
        let (known, number) = self.lanes.enter(lane, here);
        self.court.number = number;
        if let Some(Lane { connection, number, last, opened_with, ledger }) = known {
            self.court.connection = connection;
            self.court.number = number;
            (self.last, self.opened_with) = (last, opened_with);
            if self.surveyor.is_some() {
                self.court.ledger = ledger;
            }
        } else if self.surveyor.is_some() {
            self.court.ledger = Ledger::new(true);
        }
        self.court.connection.other_hops = Some(other_hops);
    }

    /// A passage that is no message.
    fn flaw(&mut self, flaw: &Flaw) {
        let ground = self.court.ground(self.court.connection.version(), flaw.sender);
        let listeners = &self.dispatch[ground.version as usize].flaw;
        self.court.hear(listeners, ground, |check, connection| check(flaw, connection));
        self.court.rise();
        if flaw.kind.loses_message() {
            self.court.connection.lose();
        }
        if flaw.kind == FlawKind::CutTail {
            self.court.connection.cut();
        }
    }

    fn message(&mut self, given: RecordedMessage<'_>) {
        self.one(given, None);
        if given.node.is_array() {
            self.elements(given);
        }
    }

    /// Judges the elements of an array, which has been judged itself.
    fn elements(&mut self, given: RecordedMessage<'_>) {
        let array = given.node;
        for element in array.elements() {
            // An element is a message of its own: pointers count from it.
            let doc = array.doc().with_root(element);
            self.one(RecordedMessage { node: doc.root(), ..given }, Some(array));
        }
    }

    fn one(&mut self, given: RecordedMessage<'_>, batch: Option<Node<'_>>) {
        let RecordedMessage { node, sender, at, unsure } = given;
        let counts = u64::from(!node.is_array() && looks_like_message(node));
        let envelope = Envelope::of(node);
        let mut message = Message { node, sender, recorded: sender, at, batch, envelope };
        self.messages += counts;
        if envelope.method.is_some_and(|method| method.is("initialize")) {
            self.initialize(&message);
        }
        self.last = Some(node.span());
        if !unsure.is_empty() || self.profile.recording.masks {
            self.excuse(node, unsure);
        }
        self.court.connection.begin(&message);
        match (message.envelope.method.and_then(Node::text), message.envelope.id) {
            (Some(method), _) => self.call(&mut message, method),
            (None, Some(id)) => self.response(&mut message, id),
            (None, None) => self.other(&mut message),
        }
        self.court.rise();
        self.senders[seat(message.sender)] += counts;
        self.court.connection.end(&message);
    }

    /// An array, or nothing that JSON-RPC knows.
    fn other(&mut self, message: &mut Message<'_>) {
        let is_batch = message.node.is_array() && message.batch.is_none();
        if is_batch && message.sender.is_none() {
            message.sender = self.batch_sender(message.node);
        }
        let ground = self.court.ground(self.court.connection.version(), message.sender);
        self.hear_message(ground, message);
        if is_batch {
            self.court.connection.apply_batch(message);
        } else {
            self.court.connection.apply_malformed(message);
        }
    }

    /// Who sends an array, as its first elements tell; an empty one answers what went before.
    fn batch_sender(&self, array: Node<'_>) -> Option<Side> {
        const TELLING: usize = 8;
        let connection = &self.court.connection;
        if array.is_empty() {
            return connection.batches.sender_of_empty(connection.number());
        }
        let schemas = self.schemas(connection.version());
        array.elements().take(TELLING).find_map(|element| {
            if let Some(method) = element.get("method").and_then(Node::text) {
                let has_id = element.get("id").is_some();
                return schemas.find(&method.as_cow(), has_id).1.and_then(|calls| calls.sender());
            }
            let id = Id::of(element.get("id")?);
            connection.rpc.outstanding_of_any(&id)?.sender.map(Side::peer)
        })
    }

    fn schemas(&self, version: Option<Version>) -> Schemas {
        let edition = self.court.connection.edition();
        Schemas::of(version.unwrap_or(Version::V1), self.profile.surface, edition)
    }

    /// An `initialize` comes, with which another connection may begin.
    fn initialize(&mut self, message: &Message<'_>) {
        let id = message.envelope.id;
        if let Some(id) = id.filter(|id| self.begins_another_connection(*id, message.sender)) {
            self.end_connection();
            *self.court.connection = Connection::new(self.profile.clone());
            self.court.number = self.lanes.next_number();
            self.opened_with = Some(Id::of(id));
        }
    }

    /// Whether an `initialize` with this id begins another connection. `sender`: as recorded.
    fn begins_another_connection(&mut self, id: Node<'_>, sender: Option<Side>) -> bool {
        // Ids that are drawn by lot do not begin anew, so that they do not tell.
        let is_drawn = is_drawn(id);
        let id = Id::of(id);
        let connection = &self.court.connection;
        let RecordingTraits { extent, only, .. } = self.profile.recording;
        // The client is on record after all.
        if only == Some(Side::Agent) && connection.is_in_use() {
            return true;
        }
        // What is asked there is not answered on the next connection.
        let is_over = connection.is_in_use() && !connection.rpc.is_waiting();
        if (is_drawn || extent == Extent::Several) && is_over {
            return true;
        }
        if self.opened_with.as_ref() == Some(&id) {
            let is_known = self.profile.recording.only.is_none();
            // The agent that was asked first has died, and was started again.
            let is_unheard = sender != Some(Side::Agent)
                && connection
                    .rpc
                    .outstanding_of_any(&id)
                    .is_some_and(|request| &*request.method == "initialize");
            return !is_known || is_unheard || connection.is_initialized();
        }
        self.opened_with.get_or_insert(id);
        false
    }

    /// Nothing is said about values that the recorder has masked or left unclear.
    fn excuse(&mut self, node: Node<'_>, unsure: &[u32]) {
        if !unsure.is_empty() || redaction::may_be_in(node.raw()) {
            let has_homes = self.profile.recording.is_masked;
            redaction::values(node, unsure, has_homes, &mut |value| {
                self.court.excuse(value.span())
            });
        }
    }

    /// Hears the rules about messages of any kind.
    fn hear_message(&mut self, ground: Ground<'_>, message: &Message<'_>) {
        let listeners = &self.dispatch[ground.version as usize].message;
        self.court.hear(listeners, ground, |check, connection| check(message, connection));
    }

    fn call<'t>(&mut self, message: &mut Message<'t>, method: Text<'t>) {
        let id = message.envelope.id;
        let params = message.envelope.params;
        let name = method.as_cow();
        let opens = method == "initialize";
        // `initialize` is judged by the version that it offers, whatever is negotiated or pinned.
        let offered = (opens && id.is_some())
            .then(|| params?.get("protocolVersion")?.integer())
            .flatten()
            .and_then(|number| if number > 2 { Some(Version::V2) } else { Version::of(number) });
        let version = offered.or_else(|| self.court.connection.version());
        let (standing, calls) = self.schemas(version).find(&name, id.is_some());
        if message.sender.is_none() {
            message.sender = calls.and_then(|calls| calls.sender());
        }
        if message.sender.is_none() && &*name == "$/cancel_request" {
            message.sender = self.canceller(params);
        }
        let message = &*message;
        let ground = self.court.ground(version, message.sender).calling(&name);
        self.hear_message(ground, message);
        let call =
            Call::new(message, method, standing, calls.map(|calls| (calls.name, calls.kind)));
        if let Some(notes) = &mut self.court.ledger.notes {
            notes.call(&call, &name);
        }
        // What is call and response at once has been reported; which of them it was meant to be,
        // nobody can tell.
        let is_also_response =
            message.envelope.result.is_some() || message.envelope.error.is_some();
        if !is_also_response {
            for listeners in self.dispatch[ground.version as usize].call.of(&name) {
                self.court.hear(listeners, ground, |check, connection| check(&call, connection));
            }
        }
        let update = Update::of(&call);
        let update = update.as_ref();
        let plan = update.and_then(|update| self.plan(update));
        let plan = plan.as_ref();
        if let (Some(update), Some(notes)) = (update, &mut self.court.ledger.notes) {
            notes.update(update.kind);
        }
        if let Some(update) = update {
            self.hear_update(ground, update, plan);
        }
        self.blocks(ground, &call, &name, update);
        if self.watcher.is_some() {
            self.show(&call, &name, plan);
        }
        if let Some(calls) = calls {
            // A version that is not published may have any shape.
            let is_foreign = opens && names_unpublished(call.params);
            if !is_foreign {
                let part = MessagePart::Params;
                let version = ground.version;
                let what = Described { message, version, method: &name, part, request: None };
                let params = params.filter(|params| !params.is_null());
                if standing == MethodStatus::Draft {
                    self.seen(ground, &what, &Observation::DraftMethod { method: method.node() });
                }
                self.shape(ground, calls.params(), params, &what);
            }
        }
        self.court.connection.apply_call(&call);
        if let Some(update) = update {
            self.apply_update(update, plan);
        }
    }

    /// Who sent a `$/cancel_request`: the side whose request it names, if only one has it.
    fn canceller(&self, params: Option<Node<'_>>) -> Option<Side> {
        let id = Id::of(params?.get("requestId")?);
        let holds = |side| self.court.connection.rpc.outstanding(Some(side), &id).is_some();
        match (holds(Side::Client), holds(Side::Agent)) {
            (true, false) => Some(Side::Client),
            (false, true) => Some(Side::Agent),
            _ => None,
        }
    }

    fn hear_update(&mut self, ground: Ground<'_>, update: &Update<'_>, plan: Option<&Plan<'_>>) {
        let dispatch = &self.dispatch[ground.version as usize];
        for listeners in dispatch.update.of(&update.kind.as_cow()) {
            self.court.hear(listeners, ground, |check, connection| check(update, connection));
        }
        if let Some(plan) = plan {
            self.hear_plan(ground, plan);
        }
    }

    fn hear_plan(&mut self, ground: Ground<'_>, plan: &Plan<'_>) {
        let dispatch = &self.dispatch[ground.version as usize];
        match plan {
            Plan::Updated(updated) => {
                let listeners = &dispatch.plan;
                self.court.hear(listeners, ground, |check, connection| check(updated, connection));
            }
            Plan::Removed(removed) => {
                let listeners = &dispatch.plan_removed;
                self.court.hear(listeners, ground, |check, connection| check(removed, connection));
            }
        }
    }

    /// Tells who looks on what is about to happen to plans.
    fn show(&mut self, call: &Call<'_>, method: &str, plan: Option<&Plan<'_>>) {
        let act = match plan {
            Some(Plan::Updated(updated)) => Act::Updated(updated),
            Some(Plan::Removed(removed)) => Act::Removed(removed),
            None if matches!(method, "session/load" | "session/resume") => Act::Forgotten,
            None => return,
        };
        let (Some(session_id), Some(watcher)) = (call.session_id(), &mut self.watcher) else {
            return;
        };
        let Court { connection, number, .. } = &self.court;
        let span = call.node.span();
        watcher.see(&Sight { act, session_id, span, connection, number: *number });
    }

    fn blocks(
        &mut self,
        ground: Ground<'_>,
        call: &Call<'_>,
        name: &str,
        update: Option<&Update<'_>>,
    ) {
        let dispatch = &self.dispatch[ground.version as usize];
        let court = &mut self.court;
        blocks::each(name, call, update, &mut |node| {
            let Some(kind) = node.get("type").and_then(Node::text) else { return };
            let block = Block { call, kind, block: node };
            for listeners in dispatch.block.of(&kind.as_cow()) {
                court.hear(listeners, ground, |check, connection| check(&block, connection));
            }
        });
    }

    /// What an update of plans does to one. Version 2 has no `plan` update: its clients show
    /// nothing for one.
    fn plan<'t>(&mut self, update: &'t Update<'t>) -> Option<Plan<'t>> {
        let connection = &self.court.connection;
        if let Some(removed) = PlanRemoved::of(update, connection.edition()) {
            return Some(Plan::Removed(removed));
        }
        if connection.version() == Some(Version::V2) && update.kind == "plan" {
            return None;
        }
        let snapshot = PlanSnapshot::of(update, connection.edition())?;
        let diff = connection.compare(update.session_id, &snapshot);
        Some(Plan::Updated(PlanUpdated { update, snapshot, diff }))
    }

    fn apply_update(&mut self, update: &Update<'_>, plan: Option<&Plan<'_>>) {
        self.court.connection.apply_update(update);
        match plan {
            None => {}
            Some(Plan::Updated(updated)) => self.court.connection.apply_plan(updated),
            Some(Plan::Removed(removed)) => self.court.connection.apply_plan_removed(removed),
        }
    }

    fn response(&mut self, message: &mut Message<'_>, id: Node<'_>) {
        let Envelope { result, error, .. } = message.envelope;
        let outcome = match (result, error) {
            (Some(result), _) if error.is_none_or(Node::is_null) => Response::Result(result),
            (_, Some(error)) => Response::Error(error),
            (Some(result), None) => Response::Result(result),
            (None, None) => return self.other(message),
        };
        let schemas = self.schemas(self.court.connection.version());
        let answering = match outcome {
            Response::Result(result) => answering_side(result),
            // Both sides refuse with whatever code they like.
            Response::Error(_) => None,
        };
        let fit = |request: &Request| match outcome {
            _ if answering.is_some() && request.sender == answering => ResponseFit::Never,
            Response::Result(result) => schemas.fit(&request.method, result),
            Response::Error(_) => ResponseFit::Perhaps,
        };
        // Where one side alone is on record, nobody answers it.
        let only = self.profile.recording.only;
        let recorded = message.recorded.or_else(|| Some(answering.unwrap_or(only?)));
        message.sender = recorded;
        // In a recording of one side, which begins anywhere, requests and responses of the same
        // side must not be paired because they share an id.
        let connection = &self.court.connection;
        let is_whole = message.recorded.is_some() || connection.head_is_complete();
        let speaks = [Side::Client, Side::Agent].map(|side| connection.last_of(side) > 0);
        let may_answer = |request: &Request| {
            is_whole
                || request.sender.is_none_or(|asker| speaks[asker.peer() as usize])
                || (error.is_none() && fit(request) >= ResponseFit::Perhaps)
        };
        let contested = Contested {
            at: Anchor::of(message.node, Pointer::Whole),
            number: connection.number(),
            is_error: Some(matches!(outcome, Response::Error(_))),
        };
        let rpc = &mut self.court.connection.rpc;
        let found = rpc.take(&Id::of(id), recorded, contested, fit, may_answer);
        match found {
            ResponseMatch::Request(request, ambiguity, settled) => {
                for settled in &settled {
                    self.court.connection.apply_settled(settled);
                }
                message.sender = message.sender.or(request.sender.map(Side::peer));
                let ambiguous = ambiguity == Ambiguity::Ambiguous;
                self.answer(message, id, outcome, &request, ambiguous);
            }
            ResponseMatch::Contested => {
                self.court.connection.apply_contested(&Id::of(id));
                let ground = self.court.ground(self.court.connection.version(), message.sender);
                self.hear_message(ground, message);
            }
            ResponseMatch::OtherType(request) => {
                message.sender = message.sender.or(request.sender.map(Side::peer));
                self.stray(message, id, StrayKind::OtherType(&request));
                let answer = Answer { message, id, outcome, request: &request, ambiguous: true };
                self.court.connection.apply_answer(&answer);
            }
            ResponseMatch::Answered(done) => {
                message.sender = message.sender.or(done.asker.map(Side::peer));
                self.stray(message, id, StrayKind::Answered(done));
            }
            // In recordings of one side, most answers have no request.
            ResponseMatch::Unknown if message.sender.is_none() && !id.is_null() => {
                message.sender = result.and_then(answering_side);
                self.stray(message, id, StrayKind::Unknown);
            }
            ResponseMatch::Unknown if id.is_null() => self.stray(message, id, StrayKind::Null),
            ResponseMatch::Unknown => {
                self.stray(message, id, StrayKind::Unknown);
                if only == Some(Side::Agent) {
                    self.court.connection.pass_unseen();
                }
            }
        }
    }

    fn stray(&mut self, message: &Message<'_>, id: Node<'_>, why: StrayKind<'_>) {
        let ground = self.court.ground(self.court.connection.version(), message.sender);
        self.hear_message(ground, message);
        let stray = Stray { message, id, why };
        self.note_response(message, None);
        let listeners = &self.dispatch[ground.version as usize].stray;
        self.court.hear(listeners, ground, |check, connection| check(&stray, connection));
    }

    fn answer(
        &mut self,
        message: &Message<'_>,
        id: Node<'_>,
        outcome: Response<'_>,
        request: &Request,
        ambiguous: bool,
    ) {
        // The result of `initialize` is judged by the version that it names.
        let named = (&*request.method == "initialize")
            .then(|| match outcome {
                Response::Result(result) => Version::of(result.get("protocolVersion")?.integer()?),
                // Only version 2 refuses a version.
                Response::Error(error) => {
                    (error.get("code")?.integer()? == UNSUPPORTED_VERSION).then_some(Version::V2)
                }
            })
            .flatten();
        let version = named.or_else(|| self.court.connection.version());
        let ground = self.court.ground(version, message.sender).calling(&request.method);
        self.hear_message(ground, message);
        let answer = Answer { message, id, outcome, request, ambiguous };
        self.note_response(message, Some(&request.method));
        // Nothing rests on a guess.
        if !ambiguous {
            let listeners = &self.dispatch[ground.version as usize].answer;
            for listeners in listeners.of(&request.method) {
                self.court.hear(listeners, ground, |check, connection| check(&answer, connection));
            }
        }
        if let Response::Result(result) = outcome
            && !ambiguous
            && let Some(calls) = self.schemas(version).find(&request.method, true).1
            && let Some(definitions) = calls.results()
            && !(&*request.method == "initialize" && names_unpublished(Some(result)))
        {
            let part = MessagePart::Result;
            let (version, method) = (ground.version, &*request.method);
            let what = Described { message, version, method, part, request: Some(request) };
            self.shape(ground, definitions, Some(result), &what);
        }
        self.court.connection.apply_answer(&answer);
    }

    /// `method`: that of the request, if it is on record.
    fn note_response(&mut self, message: &Message<'_>, method: Option<&str>) {
        let Some(notes) = &mut self.court.ledger.notes else { return };
        match message.envelope.result {
            Some(result) => notes.result(method, message.sender, result),
            None => notes.error(method, message.sender),
        }
    }

    /// Judges a part of a message by its definition.
    fn shape<'t>(
        &mut self,
        ground: Ground<'_>,
        definitions: Definitions,
        value: Option<Node<'t>>,
        what: &Described<'t>,
    ) {
        match value {
            Some(value) => self.walk(ground, definitions, value, what),
            // Absent params count as empty ones: what is missing then is the params themselves.
            None if definitions.own.required().next().is_some() => {
                let fault = SchemaFault::missing(
                    what.message.node,
                    what.part.member(),
                    definitions.own.name(),
                );
                self.refused(ground, what, fault);
            }
            None => {}
        }
    }

    /// Judges a part of which it is not known yet that it fits.
    fn walk<'t>(
        &mut self,
        ground: Ground<'_>,
        definitions: Definitions,
        value: Node<'t>,
        what: &Described<'t>,
    ) {
        let (mut observations, mut drafts) = (Vec::new(), false);
        let is_pinned = self.profile.surface.is_some();
        let accepts = definitions.draft.walk(value, &mut |observation: Observation<'t>| {
            drafts |= observation.is_draft_construct();
            // The stable schema would take anything there.
            drafts |= !is_pinned && observation.is_draft_member();
            if observations.len() < PLACES {
                observations.push(observation);
            }
        });
        if accepts == Accepts::Surely && observations.is_empty() {
            return;
        }
        for observation in observations {
            self.seen(ground, what, &observation);
        }
        if accepts == Accepts::Surely {
            return;
        }
        let judge = if drafts { definitions.draft } else { definitions.own };
        let mut faults = judge.faults(value);
        faults.truncate(PLACES);
        if self.profile.edition.is_none() {
            mark_recent(&mut faults, ground.version, judge.name(), value);
        }
        for fault in faults {
            self.refused(ground, what, fault);
        }
    }

    fn seen<'t>(
        &mut self,
        ground: Ground<'_>,
        what: &Described<'t>,
        observation: &Observation<'t>,
    ) {
        let seen = what.shape(*observation);
        for listener in self.dispatch[ground.version as usize].seen.chunks(1) {
            if self.court.explains(observation.node()) {
                return;
            }
            self.court.hear(listener, ground, |check, connection| check(&seen, connection));
        }
    }

    fn refused<'t>(&mut self, ground: Ground<'_>, what: &Described<'t>, fault: SchemaFault<'t>) {
        let refused = what.shape(fault);
        for listener in self.dispatch[ground.version as usize].refused.chunks(1) {
            let fault = &refused.what;
            let is_explained = match &fault.kind {
                FaultKind::Missing { name } => self.court.explains_missing(fault.node, name),
                _ => self.court.explains(fault.node),
            };
            if is_explained {
                return;
            }
            self.court.hear(listener, ground, |check, connection| check(&refused, connection));
        }
    }

    /// Ends the connections of all lanes, the last one last.
    fn end_connections(&mut self) {
        let (others, last) = (self.lanes.others(), self.lanes.current().map(Box::from));
        for lane in others.into_iter().chain([last]) {
            self.enter(lane.as_deref());
            self.end_connection();
            self.last = None;
        }
    }

    fn end_connection(&mut self) {
        if let Some(span) = self.last {
            self.judge_end(span);
            let connection = &self.court.connection;
            self.met += 1;
            if connection.negotiation.offered.is_none() && connection.negotiation.answered.is_none()
            {
                self.uninitialized += 1;
                self.is_headless |= !connection.head_is_complete();
            }
        }
        if let Some(surveyor) = &mut self.surveyor {
            let ledger = mem::replace(&mut self.court.ledger, Ledger::new(true));
            surveyor.settle(self.court.number, &self.court.connection, ledger);
        }
    }

    fn judge_end(&mut self, span: Span) {
        self.court.connection.close(span);
        if self.is_cut {
            self.court.connection.cut();
        }
        let ground = self.court.last_ground();
        let silent = self.profile.recording.no_answers_of.map(Side::peer);
        let mut last = None;
        while let Some((ticket, request)) = self.court.connection.rpc.open_after(last) {
            last = Some(ticket);
            if silent.is_some() && request.sender == silent {
                continue;
            }
            let request = request.clone();
            let ground = ground.of(request.sender.map(Side::peer)).calling(&request.method);
            let listeners = &self.dispatch[ground.version as usize].left_open;
            self.court.hear(listeners, ground, |check, connection| check(&request, connection));
        }
        let end = End { span };
        let listeners = &self.dispatch[ground.version as usize].end;
        self.court.hear(listeners, ground, |check, connection| check(&end, connection));
        self.court.close();
    }

    pub(super) fn finish(mut self: Box<Self>, diagnostics: &mut Vec<Diagnostic>) -> Outcome {
        self.end_connections();
        self.court.finish();
        // Not copied where it need not be: at the end there may be very many.
        if diagnostics.is_empty() {
            *diagnostics = mem::take(&mut self.court.diagnostics);
        } else {
            diagnostics.append(&mut self.court.diagnostics);
        }
        let unassessed = self.take_unassessed();
        let survey = self.surveyor.map(Surveyor::finish);
        let sides = match &survey {
            Some(survey) => survey.tallies(),
            None => self.court.ledger.tallies,
        };
        Outcome {
            format: None,
            surface: self.court.connection.surface(),
            edition: self.court.connection.edition(),
            messages: self.messages,
            connections: if self.messages == 0 { 0 } else { self.lanes.count() },
            senders: self.senders,
            tallies: sides.iter().map(Tally::of_all).collect(),
            sides,
            survey,
            repeats: self.court.repeats.into_iter().collect(),
            unassessed,
            notes: Vec::new(),
            refusal: None,
        }
    }

    /// Which rules could not be assessed in this transcript, and why.
    fn take_unassessed(&mut self) -> Vec<Unassessed> {
        let mut by_recorder = mem::take(&mut self.unassessed);
        if let Some(side) = self.profile.recording.only
            && self.senders[side.peer() as usize] > 0
            && let Some(first) = by_recorder.first_mut()
        {
            ONLY_AT_FIRST[side as usize].clone_into(&mut first.why);
        }
        let version = self.court.connection.version();
        let without_initialize = version.filter(|_| self.uninitialized > 0 && self.messages > 0);
        let mut unassessed: Vec<_> = without_initialize
            .map(|version| {
                let connections = (self.uninitialized, self.met);
                let is_chosen = self.profile.surface.is_some();
                Unassessed::without_initialize(connections, self.is_headless, version, is_chosen)
            })
            .into_iter()
            .collect();
        // What no recording of this kind can tell is not missed in this one.
        let is_elsewhere = |rule: &&str| by_recorder.iter().any(|it| it.rules.contains(rule));
        for missing in &mut unassessed {
            missing.rules.retain(|rule| !is_elsewhere(rule));
        }
        unassessed.extend(by_recorder);
        unassessed
    }
}

/// Marks the faults of a value that the previous edition does not find, so that what they break is new.
/// Only faults of definitions that have changed since can be such.
fn mark_recent(faults: &mut [SchemaFault<'_>], version: Version, name: &str, value: Node<'_>) {
    let of = |edition| Protocol::of(Surface::unstable(version), edition);
    let (before, now) = (of(Edition::PREVIOUS), of(Edition::CURRENT));
    let has_changed = |name| match (before.definition(name), now.definition(name)) {
        (Some(before), Some(now)) => !before.is_same(now),
        _ => false,
    };
    // There, what one branch of a union refuses now is refused in the name of another.
    let moves_faults = name == "CreateElicitationRequest";
    if !moves_faults && !faults.iter().any(|fault| has_changed(fault.type_name)) {
        return;
    }
    let Some(before) = before.definition(name) else { return };
    let known = before.faults(value);
    // What it refuses within or around a place, it does not admit there.
    let overlap = |one: Span, other: Span| one.start < other.end() && other.start < one.end();
    for fault in faults {
        let own = fault.node.span();
        fault.is_recent = !known.iter().any(|known| overlap(known.node.span(), own));
    }
}
