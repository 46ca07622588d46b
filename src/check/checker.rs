//! Judges passages one after the other: tells which events a message is, runs the rules for each, then
//! applies it to the model.
//!
//! A [`Passage`] goes in; verdicts go to [`Verdicts`], which make diagnostics of them.
//!
//! ```text
//! see(passage) ─▶ message ─▶ call ────▶ updates, plans, content blocks ─▶ run rules ─▶ apply
//!                        └─▶ response ─▶ the request that it answers ───▶ run rules ─▶ apply
//! ```

mod boundaries;
mod calls;
mod responses;
mod schema;

use std::{mem, sync::Arc};

use memchr::memmem;

use crate::{
    check::{
        Head, Outcome, Settings, Story, Tail, Tally, Unjudged,
        conduct::{ConductBuilder, RuleCounts},
        connections::Connections,
        dispatch::Dispatch,
        limits::Unassessed,
        observer::{EventKind, ObservedEvent, Observer},
        schemas::Schemas,
        verdicts::{Scope, Verdicts},
    },
    diagnostic::Diagnostic,
    event::{Envelope, Message},
    json::Node,
    model::{Connection, ConnectionSettings, Id, story::Shelf},
    protocol::{Side, Version},
    requirements::Offers,
    rule::On,
    rules::CATALOGUE,
    source::Span,
    transcript::{
        Driven, Extent, Flaw, FlawKind, Passage, RecordedMessage, RecordingTraits, ScenarioState,
        limits::{Loss, ONLY_AT_FIRST},
        looks_like_message, redaction,
    },
};

/// Judges the messages of one file: sorts them into connections, runs the rules, and applies them
/// to the model.
#[derive(Debug)]
pub(super) struct Checker {
    settings: ConnectionSettings,
    /// The rules to run for each kind of event: at index 0 for version 1, at index 1 for version 2.
    dispatch: Arc<[Dispatch; 2]>,
    verdicts: Verdicts,
    /// Number of messages by sender, in the order of [`Side::index`].
    senders: [u64; 3],
    last: Option<Span>,
    /// Id of the connection's first `initialize`, as a new `initialize` with the same id begins a
    /// new connection; `None` before it.
    opened_with: Option<Id>,
    observers: Vec<Observer>,
    conduct: Option<ConductBuilder>,
    connections: Connections,
    /// The rules that cannot be assessed because of what the recorder drops, with the reasons.
    unassessed: Vec<Unassessed>,
    /// Number of messages that were not judged because they have too many JSON values or levels.
    overfull: u64,
    /// Number of messages that were not judged because the recording has only their beginning.
    fragments: u64,
    /// Number of messages that were not judged because the recorder wrote the message before twice.
    copies: u64,
    /// Number of messages that have a member twice, with different values.
    two_readings: u64,
    /// Number of messages of unknown senders that peers cannot read, or may read in two ways.
    unattributed: u64,
    /// Number of calls in sessions that are not followed, since there are too many unknown ones.
    unfollowed: u64,
    /// Number of replays of sessions that were not compared, since what connections say of the
    /// session is too much or contradicts itself.
    uncompared: u64,
    /// Number of plan updates that only the agent's word keeps from being a part of the plan.
    contested_plans: u64,
    /// Number of messages by which the agent reports the state `unknown` of a session whose state
    /// was known.
    unknown_states: u64,
    /// Number of answers that may be to a request of either side.
    ambiguous: u64,
    /// Number of answers that cannot be given to one of several connections, because the recording
    /// does not name them.
    unassigned: u64,
    /// Number of messages after an `initialize` without a result that may be of either side: whether
    /// another connection begins with it is unknown.
    unbegun: u64,
    /// Number of connections with calls of a client before `initialize`, on which rules about the
    /// beginning did not report.
    late_heads: u64,
    /// Number of rules that were not assessed because a connection begins with another message than
    /// `initialize`.
    headless_rules: u64,
    /// The first agreed protocol version that is not a published one, and the version by which its
    /// messages were judged; `None` without one.
    unpublished: Option<(i64, Version)>,
    /// The first agreed version above the published ones, and the number of messages on connections
    /// with such versions; `None` without one.
    newer_version: Option<(i64, u64)>,
    /// Whether the file breaks off, so that no rule reports a missing message at its end.
    is_cut: bool,
    /// Number of connections that have messages; in `uninitialized`, those of them without
    /// `initialize`.
    used_connections: u32,
    uninitialized: u32,
    /// What the connections offered of that which requirements need.
    offers: Offers,
    /// Whether a connection without `initialize` on record begins in its middle.
    is_headless: bool,
    /// The side that acpcheck plays in a recording of `drive` or `play`, which is not judged;
    /// `None` for other recordings.
    driven: Option<Driven>,
    /// The end of the scenario that acpcheck played, as the recording states it; `None` without
    /// one.
    scenario: Option<ScenarioState>,
}

impl Checker {
    pub(super) fn new(settings: &Settings) -> Self {
        let connection_settings = ConnectionSettings {
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
        let mut connection = Box::new(Connection::new(connection_settings.clone()));
        connection.stories.shelves.clone_from(&settings.shelves);
        connection.stories.file = settings.file;
        connection.stories.is_said = settings.story == Story::One;
        Self {
            dispatch: settings.severities.dispatch(),
            verdicts: Verdicts::new(settings, connection),
            settings: connection_settings,
            senders: [0; 3],
            last: None,
            opened_with: None,
            observers: Vec::new(),
            conduct: None,
            connections: Connections::default(),
            unassessed: Vec::new(),
            overfull: 0,
            fragments: 0,
            copies: 0,
            two_readings: 0,
            unattributed: 0,
            unfollowed: 0,
            uncompared: 0,
            contested_plans: 0,
            unknown_states: 0,
            ambiguous: 0,
            unassigned: 0,
            unbegun: 0,
            late_heads: 0,
            headless_rules: 0,
            unpublished: None,
            newer_version: None,
            is_cut: false,
            used_connections: 0,
            uninitialized: 0,
            offers: Offers::default(),
            is_headless: false,
            driven: None,
            scenario: None,
        }
    }

    pub(super) fn run_no_rules(&mut self) {
        self.dispatch = Arc::default();
    }

    /// Ends the transcript, and returns what its sessions showed, to compare them with other files
    /// of the run.
    pub(super) fn shelf(mut self) -> Shelf {
        self.end_connections();
        mem::take(&mut self.verdicts.connection.stories.shelf)
    }

    pub(super) fn observe(&mut self, observer: Observer) {
        self.observers.push(observer);
    }

    /// Passes an event to the observers, such as the audit log, before the model of the connection
    /// applies it.
    fn notify_observers(&mut self, kind: EventKind<'_>) {
        let Verdicts { connection, number, .. } = &self.verdicts;
        let event = ObservedEvent { kind, connection, number: *number };
        for observer in &mut self.observers {
            observer.see(&event);
        }
    }

    pub(super) fn keep_news(&mut self) {
        self.verdicts.news = Some(Vec::new());
    }

    /// The diagnostics since the last call; empty unless the check is live.
    pub(super) fn take_news(&mut self) -> Vec<Diagnostic> {
        self.verdicts.news.as_mut().map(mem::take).unwrap_or_default()
    }

    /// Number of rules about the conduct of this side that were exercised.
    pub(super) fn exercised(&self, side: Side) -> usize {
        self.verdicts.counts.exercised(side)
    }

    pub(super) fn count_conduct(&mut self) {
        self.conduct = Some(ConductBuilder::default());
        self.verdicts.counts = RuleCounts::new(true);
    }

    /// Judges the next item of the recording: a message, a line that is not a message, or a remark
    /// of the recorder.
    pub(super) fn see(&mut self, passage: Passage<'_>) {
        match passage {
            Passage::Traits(recording) => self.apply_traits(recording),
            Passage::Connection(lane) => self.enter(lane),
            Passage::Message(message) => self.check_message(message),
            Passage::Flaw(flaw) => self.check_flaw(flaw),
            Passage::Gap => self.verdicts.connection.note_gap(),
            Passage::Overfull => {
                self.overfull += 1;
                self.verdicts.connection.note_lost_passage(None);
            }
            Passage::Fragment => {
                self.fragments += 1;
                self.verdicts.connection.note_gap();
            }
            Passage::Copy => self.copies += 1,
            Passage::Cut => self.is_cut = true,
            Passage::Ended { .. } if self.ends_anywhere() => {}
            Passage::Ended { sender, left } => {
                self.verdicts.connection.end_side(sender, left);
            }
            Passage::Started(driven) => self.start(driven),
            Passage::Scenario(state) => self.scenario = Some(state.clone()),
        }
    }

    /// Begins a recording that acpcheck made. `driven` names the side that acpcheck played, which
    /// is not judged; `None` when it played none.
    fn start(&mut self, driven: Option<&Driven>) {
        self.driven = driven.cloned();
        self.verdicts.play(driven.map(|driven| driven.plays));
        let run = driven.map(|driven| &*driven.run).filter(|run| !run.is_empty());
        let connection = &mut self.verdicts.connection;
        if connection.number() > 0 {
            // Of which run it is a part is not known any more.
            connection.stories.agent = None;
        }
        connection.stories.run = run.map(Into::into);
        if self.ends_anywhere() {
            // What is left open at its end may be what the other side did not survive.
            self.settings.tail = Some(false);
            self.verdicts.connection.assume(self.settings.clone());
        }
    }

    fn ends_anywhere(&self) -> bool {
        self.driven.as_ref().is_some_and(|driven| driven.ends_anywhere)
    }

    /// Stops judging both sides when the side that acpcheck plays has sent broken input, after
    /// which the other side may end anywhere. `is_broken` says whether this message is such.
    fn note_broken(&mut self, sender: Option<Side>, is_broken: bool) {
        if let Some(driven) = &self.driven
            && driven.ends_anywhere
            && is_broken
            && sender == Some(driven.plays)
        {
            self.verdicts.excuse();
        }
    }

    /// Whether the recording mixes several connections without naming them, so that each message is
    /// judged by itself.
    fn is_mixed(&self) -> bool {
        self.settings.recording.is_mixed
    }

    /// Applies what the beginning of the file shows about the whole recording: gaps, masks, the
    /// missing side.
    fn apply_traits(&mut self, recording: &RecordingTraits) {
        let begins_late = recording.only.is_some() || recording.scatters;
        let is_complete = recording.extent == Extent::Complete;
        let head = begins_late.then_some(false).or(is_complete.then_some(true));
        self.settings.head = self.settings.head.or(head);
        self.unassessed = recording.limits.iter().map(Unassessed::of).collect();
        self.settings.recording = recording.clone();
        for rule in self.unassessed.iter().flat_map(Unassessed::indices) {
            // Flaws are reported only where the recorder keeps the lines after all.
            let is_of_framing = |on: &On| matches!(on, On::Flaw(_));
            if CATALOGUE[rule].on.iter().any(is_of_framing) {
                continue;
            }
            // A peer may have written the line that tells of several connections.
            if recording.is_bare && CATALOGUE[rule].needs.contains(&Loss::Boundaries) {
                self.verdicts.doubt(rule);
            } else {
                self.verdicts.switch_off(rule);
            }
        }
        self.verdicts.connection.assume(self.settings.clone());
        let is_lossy = recording.limits.iter().any(|limit| limit.loss.changes_history());
        self.verdicts.connection.stories.is_lossy = is_lossy || recording.only.is_some();
    }

    /// Judges text of the transcript that is not a message, such as a line that is not JSON.
    fn check_flaw(&mut self, flaw: &Flaw) {
        self.note_broken(flaw.sender, true);
        self.verdicts.allowance.reach(flaw.span.end());
        let scope = self.verdicts.own_scope(flaw.sender);
        let listeners = &self.dispatch[scope.version as usize].flaw;
        self.verdicts.run(listeners, scope, |check, connection| check(flaw, connection));
        self.verdicts.finish_message();
        if flaw.kind.loses_message() {
            self.lose(flaw.sender);
        }
        if flaw.begins_an_answer() {
            self.verdicts.connection.note_unread_answer(flaw.sender, &flaw.excerpt);
        }
        match flaw.kind {
            FlawKind::CutTail => self.verdicts.connection.note_cut(),
            FlawKind::EmbeddedNewline { .. } => self.verdicts.connection.note_split(flaw.sender),
            _ => {}
        }
    }

    /// Notes that a peer may miss a message because it is broken. That excuses the peer of its writer,
    /// and both sides where the writer is unknown.
    fn lose(&mut self, writer: Option<Side>) {
        self.unattributed += u64::from(writer.is_none());
        self.verdicts.connection.note_lost_passage(writer);
    }

    fn check_message(&mut self, given: RecordedMessage<'_>) {
        let is_message =
            ["method", "result", "error"].iter().any(|it| given.node.get(it).is_some());
        self.note_broken(given.sender, !is_message);
        self.check_single(given, None);
        if given.node.is_array() {
            self.elements(given);
        }
    }

    /// Judges the messages in a batch (JSON array) one by one, also those in arrays within it.
    fn elements(&mut self, given: RecordedMessage<'_>) {
        let array = given.node;
        // As deep as arrays are nested, they would end the stack.
        let mut waiting = vec![array.elements()];
        while let Some(elements) = waiting.last_mut() {
            let Some(element) = elements.next() else {
                waiting.pop();
                continue;
            };
            // An element is a message of its own: pointers count from it.
            let doc = array.doc().with_root(element);
            self.check_single(RecordedMessage { node: doc.root(), ..given }, Some(array));
            if element.is_array() {
                waiting.push(element.elements());
            }
        }
    }

    fn check_single(&mut self, given: RecordedMessage<'_>, batch: Option<Node<'_>>) {
        let RecordedMessage { node, sender, at, unsure } = given;
        let counts = u64::from(!node.is_array() && looks_like_message(node));
        let envelope = Envelope::of(node);
        let mut message = Message { node, sender, recorded: sender, at, batch, envelope };
        // What an agent puts into a batch begins nothing.
        let may_begin = batch.is_none() || sender != Some(Side::Agent);
        if may_begin
            && !self.is_mixed()
            && envelope.method.is_some_and(|method| method.is("initialize"))
        {
            self.initialize(&message);
        }
        self.last = Some(node.span());
        self.verdicts.allowance.reach(node.span().end());
        // Stories are about what the agent replays.
        let lost = self.verdicts.connection.lost_to(Some(Side::Agent));
        let stories = &mut self.verdicts.connection.stories;
        stories.note_message(node.span().start, at);
        stories.note_lost(lost, node.span().start, at);
        self.exempt(node, unsure);
        self.verdicts.connection.begin(&message);
        let newer = self.verdicts.newer_version();
        match (message.envelope.method.and_then(Node::text), message.envelope.id) {
            (Some(method), _) => self.check_call(&mut message, method),
            (None, Some(id)) => self.check_response(&mut message, id),
            (None, None) => self.check_malformed(&mut message),
        }
        self.two_readings += u64::from(!node.is_array() && message.has_two_readings());
        if is_torn(&envelope) {
            self.lose(message.sender);
        }
        self.verdicts.finish_message();
        if let Some(number) = newer.or_else(|| self.verdicts.newer_version()) {
            self.newer_version.get_or_insert((number, 0)).1 += counts;
        }
        self.senders[Side::index(message.sender)] += counts;
        self.verdicts.connection.end(&message);
    }

    /// Judges an array as a whole, or a JSON value that is not a JSON-RPC message.
    fn check_malformed(&mut self, message: &mut Message<'_>) {
        let is_batch = message.node.is_array() && message.batch.is_none();
        if is_batch && message.sender.is_none() {
            message.sender = self.batch_sender(message.node);
        }
        let scope = self.verdicts.own_scope(message.sender);
        self.run_message(scope, message);
        // A reader may have found a message in it. Elements of an array are judged one by one.
        let is_array = message.node.is_array();
        if !is_array && memmem::find(message.node.raw().as_bytes(), b"jsonrpc").is_some() {
            self.lose(message.sender);
        }
        if is_batch {
            self.verdicts.connection.apply_batch(message);
        } else {
            self.verdicts.connection.apply_malformed(message);
        }
    }

    /// The sender of a batch, judged by its first elements when the recorder does not say. `None`
    /// when that remains unclear. An empty array counts as the answer to an earlier batch.
    fn batch_sender(&self, array: Node<'_>) -> Option<Side> {
        const TELLING: usize = 8;
        let connection = &self.verdicts.connection;
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
        let edition = self.verdicts.connection.edition();
        Schemas::of(version.unwrap_or(Version::V1), self.settings.surface, edition)
    }

    /// Lets no rule report the values that the recorder has masked, or that it may have got wrong
    /// (`unsure`, as offsets in the message's text).
    fn exempt(&mut self, node: Node<'_>, unsure: &[u32]) {
        let RecordingTraits { masks, is_masked, .. } = self.settings.recording;
        if !unsure.is_empty() || masks && redaction::may_be_in(node.raw()) {
            let created = node.path(&["result", "sessionId"]).map(Node::range);
            redaction::values(node, unsure, is_masked, &mut |value, is_mask| {
                self.verdicts.exempt(value.span(), is_mask);
                // The session is set up under an id that is not on record.
                if is_mask && created == Some(value.range()) {
                    self.verdicts.withhold();
                    self.verdicts.connection.note_lost_passage(None);
                }
            });
        }
    }

    /// Runs the rules on the envelope, which judge requests, notifications and responses alike.
    fn run_message(&mut self, scope: Scope<'_>, message: &Message<'_>) {
        let listeners = &self.dispatch[scope.version as usize].message;
        self.verdicts.run(listeners, scope, |check, connection| check(message, connection));
    }

    /// Ends the transcript. Returns all diagnostics, and the counts and notes for reports.
    pub(super) fn finish(mut self) -> (Vec<Diagnostic>, Outcome) {
        self.end_connections();
        let diagnostics = self.verdicts.finish();
        let messages = self.messages();
        let unassessed = self.take_unassessed();
        let unjudged = self.unjudged(&unassessed);
        let conduct = self.conduct.map(ConductBuilder::finish);
        let counts = self.verdicts.counts;
        let (shows_births, rules) = match &conduct {
            Some(conduct) => (conduct.shows_births(), conduct.all()),
            None => (counts.shows_births(), counts.all()),
        };
        let sides: Vec<_> = rules.iter().map(|rule| rule.tallies).collect();
        let outcome = Outcome {
            format: None,
            surface: self.verdicts.connection.surface(),
            edition: self.verdicts.connection.edition(),
            messages,
            other_side: self.verdicts.other_side,
            connections: if messages == 0 { 0 } else { self.connections.count() },
            senders: self.senders,
            tallies: sides.iter().take(CATALOGUE.len()).map(Tally::of_all).collect(),
            sides,
            barred: rules.iter().map(|rule| rule.barred).collect(),
            shows_births,
            has_raw_lines: self.settings.recording.is_raw,
            offers: self.offers,
            conduct,
            unassessed,
            unjudged,
            notes: Vec::new(),
            refusal: None,
            unread_form: None,
            driven: self.driven,
            scenario: self.scenario,
        };
        (diagnostics, outcome)
    }

    /// Numbers of messages and rules that were not judged because of what the transcript contains.
    /// `unassessed` are the rules that cannot be assessed.
    fn unjudged(&self, unassessed: &[Unassessed]) -> Unjudged {
        let newer = self.newer_version.map_or(0, |(_, count)| count);
        let messages = self.overfull
            + self.fragments
            + self.copies
            + self.two_readings
            + self.unattributed
            + self.unfollowed
            + self.uncompared
            + self.contested_plans
            + self.ambiguous
            + self.unassigned
            + self.unbegun
            + self.settings.recording.mislabelled
            + self.settings.recording.contested
            + self.verdicts.crowded()
            + self.verdicts.cut_off()
            + self.verdicts.masked()
            + self.verdicts.doubted()
            + self.verdicts.disputed()
            + self.unknown_states
            + newer;
        let recording = &self.settings.recording;
        // What begins the file has silenced rules about the messages that follow. An agent that
        // answers nothing, or as a client does, leaves what looks like a recording of the client.
        let has_other = |side: &Side| self.senders[side.peer() as usize] > 0;
        let may_be_played =
            |side: &Side| *side == Side::Client || recording.is_only_doubtful || has_other(side);
        let late_side = recording.only.filter(may_be_played);
        let by_side = late_side.and(unassessed.iter().find(|it| !it.is_partial));
        let by_side = by_side.map_or(0, |it| it.rules.len() as u64);
        Unjudged { messages, rules: self.headless_rules.max(by_side) }
    }

    fn messages(&self) -> u64 {
        self.senders.iter().sum()
    }

    /// Takes the rules that could not be assessed in the transcript, with the reasons.
    fn take_unassessed(&mut self) -> Vec<Unassessed> {
        let mut by_recorder = mem::take(&mut self.unassessed);
        if let Some(side) = self.settings.recording.only
            && self.senders[side.peer() as usize] > 0
            && let Some(first) = by_recorder.first_mut()
        {
            ONLY_AT_FIRST[side as usize].clone_into(&mut first.why);
        }
        let version = self.verdicts.connection.version();
        let without_initialize = version.filter(|_| self.uninitialized > 0 && self.messages() > 0);
        let mut unassessed: Vec<_> = without_initialize
            .map(|version| {
                let connections = (self.uninitialized, self.used_connections);
                let is_chosen = self.settings.surface.is_some();
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
        unassessed.extend(Unassessed::overfull(self.overfull));
        unassessed.extend(Unassessed::fragments(self.fragments));
        unassessed.extend(Unassessed::copies(self.copies));
        unassessed.extend(Unassessed::two_readings(self.two_readings));
        unassessed.extend(Unassessed::in_part(self.verdicts.crowded()));
        unassessed.extend(Unassessed::cut_off(self.verdicts.cut_off()));
        unassessed.extend(Unassessed::masked(self.verdicts.masked()));
        unassessed.extend(Unassessed::doubted(self.verdicts.doubted()));
        unassessed.extend(Unassessed::disputed(self.verdicts.disputed()));
        unassessed.extend(Unassessed::unknown_states(self.unknown_states));
        unassessed.extend(Unassessed::ambiguous(self.ambiguous));
        unassessed.extend(Unassessed::unbegun(self.unbegun));
        unassessed.extend(Unassessed::late_heads(self.late_heads));
        unassessed.extend(Unassessed::unattributed(self.unattributed));
        unassessed.extend(Unassessed::unfollowed(self.unfollowed));
        unassessed.extend(Unassessed::uncompared(self.uncompared));
        unassessed.extend(Unassessed::contested_plans(self.contested_plans));
        unassessed.extend(Unassessed::mislabelled(self.settings.recording.mislabelled));
        unassessed.extend(Unassessed::contested(self.settings.recording.contested));
        unassessed.extend(self.newer_version.map(Unassessed::newer_version));
        unassessed.extend(self.unpublished.map(Unassessed::unpublished));
        unassessed
    }
}

/// Whether readers may disagree on what kind of message this is: it has members of several kinds,
/// or an array or object as its id.
fn is_torn(envelope: &Envelope<Node<'_>>) -> bool {
    let Envelope { method, result, error, id, .. } = *envelope;
    let error = error.filter(|error| !error.is_null());
    let kinds = [method, result, error].into_iter().flatten().count();
    kinds > 1 || id.is_some_and(|id| id.is_array() || id.is_object())
}
