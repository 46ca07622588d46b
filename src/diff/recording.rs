//! The facts of one recording, collected while it is checked.
//!
//! [`watched`] returns a [`Check`] and a channel; [`Recording::new`] takes what has arrived there when the
//! check is over.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::mpsc::{self, Receiver},
};

use super::{
    behaviour::{self, fact},
    fact::{Count, Fact, FactSet, Occasion},
    findings, order, surface, versions,
};
use crate::{
    check::{Check, EventKind, Implementation, ObservedEvent, Outcome, PlanChange, Settings},
    diagnostic::Diagnostic,
    event::{Call, Update},
    json::{Kind, Node, Text},
    map::{IndexMap, Map},
    model::{
        Answer, Connection, PlanUpdated, RequestFacts, Session,
        session::plans::{PlanBody, PlanKey},
    },
    protocol::{
        Side, Version,
        methods::{attaches_session, creates_session},
    },
    rules::CATALOGUE,
    transcript::Driven,
};

/// The facts that one recording shows about client and agent, to compare releases with `compare()`.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name of the recording's file as reports write it.
    pub path: String,
    /// Name of the scenario. Recordings of OLD and NEW with equal names are compared with each
    /// other.
    pub scenario: String,
    pub connections: Vec<WatchedConnection>,
    /// What acpcheck itself played when the recording was made; `None` for recordings of two other
    /// programs.
    pub driven: Option<Driven>,
}

/// What one connection of a recording shows, for `compare()`.
#[derive(Clone, Debug, Default)]
pub struct WatchedConnection {
    pub client: Option<Implementation>,
    pub agent: Option<Implementation>,
    /// What the client offered in `initialize`, in a spelling that is equal for equal offers;
    /// `None` where the recording has no `initialize`.
    pub offer: Option<String>,
    /// The protocol version that the agent answered to `initialize`; `None` where it answered none.
    pub version: Option<i64>,
    /// What was seen of each side: index 0 for the client, 1 for the agent.
    pub(super) facts: [FactSet; 2],
    /// Whether messages are missing or changed, so that the absence of a fact proves nothing.
    pub is_lossy: bool,
    /// Line of each session update, and its kind as an index into `kinds`. Lines ascend. Empty once
    /// findings have been added.
    updates: Vec<(u32, u16)>,
    kinds: Vec<Box<str>>,
}

/// Returns a check that collects facts for `compare()`, and the channel on which they arrive: one
/// `WatchedConnection` per connection, with its number. All have arrived when `finish` has
/// returned.
pub fn watched(settings: &Settings) -> (Check, Receiver<(u32, WatchedConnection)>) {
    let (sender, connections) = mpsc::channel();
    let mut watchers: BTreeMap<u32, Watcher> = BTreeMap::new();
    let check = Check::new(settings).with_conduct().with_observer(move |event| {
        let number = event.number;
        if let EventKind::End = event.kind {
            if let Some(watcher) = watchers.remove(&number) {
                // The receiver may be gone; the check goes on.
                let _ = sender.send((number, watcher.finish(event.connection)));
            }
            return;
        }
        watchers.entry(number).or_default().see(event);
    });
    (check, connections)
}

impl Recording {
    /// Joins what the channel of [`watched`] delivered with the findings of that check. `path` is
    /// the name for people, `scenario` the name by which recordings of OLD and NEW are paired.
    pub fn new(
        path: String,
        scenario: String,
        connections: impl IntoIterator<Item = (u32, WatchedConnection)>,
        diagnostics: &[Diagnostic],
        outcome: &Outcome,
    ) -> Self {
        let mut connections: BTreeMap<_, _> = connections.into_iter().collect();
        add_findings(&mut connections, diagnostics, outcome);
        let driven = outcome.driven.clone();
        let connections = connections.into_values().map(WatchedConnection::packed).collect();
        Self { path, scenario, connections, driven }
    }

    /// The side that acpcheck itself played; `None` for recordings of two other programs.
    pub(super) fn played(&self) -> Option<Side> {
        self.driven.as_ref().map(|driven| driven.plays)
    }

    /// Name of the scenario that acpcheck played, else that by which recordings are paired.
    pub(super) fn played_scenario(&self) -> &str {
        self.driven.as_ref().map_or(&self.scenario, |driven| &driven.scenario)
    }
}

impl WatchedConnection {
    /// A copy with the facts that both protocol versions can state, and without the client's offer,
    /// which has another form on each version.
    pub(super) fn in_common(&self) -> Self {
        let facts = self.facts.each_ref().map(versions::in_common);
        Self { facts, offer: None, ..self.clone() }
    }

    /// Name and version of the implementation on a side; `None` where it is not known.
    pub fn implementation(&self, side: Side) -> Option<&Implementation> {
        match side {
            Side::Client => self.client.as_ref(),
            Side::Agent => self.agent.as_ref(),
        }
    }

    /// Kind of the message at a line: its method; for a session update, the method and the kind of
    /// update, such as `session/update tool_call`.
    pub(super) fn message(&self, method: &str, line: u32) -> Box<str> {
        // A message may have several lines.
        let behind = self.updates.partition_point(|(first, _)| *first <= line);
        let update = self.updates[..behind].last();
        match update.and_then(|(_, kind)| self.kinds.get(usize::from(*kind))) {
            Some(kind) if method == "session/update" => format!("{method} {kind}").into(),
            _ => method.into(),
        }
    }

    /// Drops `updates` and `kinds`, which are not needed after findings were added.
    fn packed(self) -> Self {
        Self { updates: Vec::new(), kinds: Vec::new(), ..self }
    }
}

/// Adds to each connection the findings about its client and its agent, the rules that were
/// exercised, and the implementations.
fn add_findings(
    connections: &mut BTreeMap<u32, WatchedConnection>,
    diagnostics: &[Diagnostic],
    outcome: &Outcome,
) {
    let Some(conduct) = &outcome.conduct else { return };
    for (number, connection) in &mut *connections {
        let pairing = conduct.of_connection.get(*number as usize);
        let Some(pairing) = pairing.and_then(|it| conduct.pairings.get(*it as usize)) else {
            continue;
        };
        connection.client.clone_from(&pairing.client);
        connection.agent.clone_from(&pairing.agent);
        for (rule, conduct) in CATALOGUE.iter().zip(&pairing.conduct) {
            for side in [Side::Client, Side::Agent] {
                if conduct.tallies[Side::index(Some(side))].exercised > 0 {
                    connection.facts[side as usize].rules.insert(rule.id);
                }
            }
        }
    }
    for diagnostic in diagnostics {
        let (Some(side), Some(connection)) =
            (diagnostic.bound, connections.get_mut(&diagnostic.connection))
        else {
            continue;
        };
        let line = diagnostic.finding.labels.first().map_or(0, |label| label.span.line);
        let method = diagnostic.method.as_deref().unwrap_or_default();
        if let Some(fact) = findings::fact(diagnostic, connection.message(method, line)) {
            connection.facts[side as usize].fact(fact, line);
        }
    }
}

/// Collects the facts that one connection shows, from the events of its check.
#[derive(Debug, Default)]
struct Watcher {
    connection: WatchedConnection,
    sessions: Map<Box<str>, WatchedSession>,
    /// Requests without an answer: method, sender and line, by the number of the request.
    open: BTreeMap<u64, (Box<str>, Side, u32)>,
    /// Message number of the last answered request: of the client (index 0), of the agent (1).
    last_answered: [u64; 2],
    /// For each type of object, such as `tool_call`: the members seen in objects of the client
    /// (index 0) and of the agent (1).
    members: [IndexMap<Box<str>, TypeMembers>; 2],
    /// Sessions that the agent named in an update before any other message did, with the line of
    /// that update.
    early: Map<Box<str>, u32>,
}

/// Counts which members the objects of one type have, such as those of `tool_call` updates.
#[derive(Debug, Default)]
struct TypeMembers {
    /// Kind of tool call, for updates of tool calls, whose members are counted for each kind; else
    /// empty.
    item: Box<str>,
    name: Box<str>,
    messages: Count,
    members: Vec<(Box<str>, Count)>,
}

/// Most types of objects, and most members of one type, that are counted; further ones are ignored.
const MEMBERS: usize = 200;

/// What facts depend on in one session: its turn, its tool calls, its mode.
#[derive(Debug, Default)]
struct WatchedSession {
    turn: Option<WatchedTurn>,
    calls: Map<Box<str>, WatchedCall>,
    /// Kinds of tool calls that the user allowed with an option of kind `allow_always`.
    allowed: BTreeSet<Box<str>>,
    /// Open permission requests, by number: the kind of tool call, and the ids of the options of
    /// kind `allow_always`.
    asked: BTreeMap<u64, (Box<str>, Vec<Box<str>>)>,
    /// The mode that the client set last, with `session/set_mode` or a config option for modes;
    /// empty before.
    mode: Box<str>,
    /// Whether a turn ended with success, and was not cancelled.
    has_complete_turn: bool,
    /// The last load of the session, if it came after a complete turn. It lasts until the next load
    /// or prompt.
    load: Option<WatchedLoad>,
}

/// A request to load a session whose conversation the agent has.
#[derive(Clone, Copy, Debug)]
struct WatchedLoad {
    line: u32,
    is_answered: bool,
    /// Whether the agent sent a part of the conversation, before its answer or after.
    has_replay: bool,
}

/// State of one turn. It lasts from its prompt to the next prompt of the session.
#[derive(Debug, Default)]
struct WatchedTurn {
    line: u32,
    is_open: bool,
    is_cancelled: bool,
    /// Whether the turn ended with success, and was not cancelled. Only then do its facts count.
    is_complete: bool,
    /// Facts that showed in the turn, each with the line where it showed first.
    facts: BTreeMap<Fact, u32>,
}

/// What facts depend on in one tool call: its kind, and what was reported of it.
#[derive(Debug, Default)]
struct WatchedCall {
    kind: Option<Box<str>>,
    is_announced: bool,
    is_asked: bool,
    is_over: bool,
    contents: BTreeSet<&'static str>,
}

impl WatchedCall {
    fn kind(&self) -> Box<str> {
        self.kind.clone().unwrap_or_else(|| "other".into())
    }
}

fn line(node: Node<'_>) -> u32 {
    node.span().line
}

impl Watcher {
    fn facts(&mut self, side: Side) -> &mut FactSet {
        &mut self.connection.facts[side as usize]
    }

    fn see(&mut self, event: &ObservedEvent<'_>) {
        match event.kind {
            EventKind::Call { call, update, plan } => {
                let is_replayed = event.session().is_some_and(Session::is_replaying);
                self.call(call, event.connection);
                if let Some(update) = update {
                    self.note_replay(update);
                }
                if let Some(update) = update.filter(|_| !is_replayed) {
                    self.update(update, plan, event.connection);
                }
            }
            EventKind::Answer(answer) if !answer.ambiguous => self.answer(answer, event.connection),
            EventKind::Answer(_) | EventKind::End => {}
        }
    }

    fn note_message(&mut self, name: &str, line: u32) {
        for facts in &mut self.connection.facts {
            match facts.messages.get_mut(name) {
                Some(count) => count.add(Count::at(line)),
                None => _ = facts.messages.insert(name.into(), Count::at(line)),
            }
        }
    }

    fn call(&mut self, call: &Call<'_>, connection: &Connection) {
        let Some(sender) = call.sender else { return };
        let method = &*call.method.as_cow();
        let line = line(call.node);
        if method != "session/update" {
            self.note_message(method, line);
        }
        if call.id.is_some() {
            self.open.insert(connection.number(), (method.into(), sender, line));
        }
        if method == "initialize" && sender == Side::Client && call.id.is_some() {
            self.connection.offer = Some(surface::offer(call));
            surface::read_offer(call, self.facts(Side::Client));
        }
        match sender {
            Side::Client => self.client_call(method, call, connection),
            Side::Agent => self.agent_call(method, call, connection),
        }
    }

    fn client_call(&mut self, method: &str, call: &Call<'_>, connection: &Connection) {
        let line = line(call.node);
        if !matches!(method, "initialize" | "session/new" | "session/prompt" | "session/update") {
            let fact = behaviour::method(method, Side::Client);
            self.facts(Side::Client).fact(fact, line);
        }
        let Some(id) = call.session_id() else { return };
        let id = &*id.as_cow();
        match method {
            "session/load" => {
                self.end_load(id);
                let session = self.session(id);
                let load = WatchedLoad { line, is_answered: false, has_replay: false };
                session.load = session.has_complete_turn.then_some(load);
            }
            "session/prompt" => {
                self.end_load(id);
                self.end_turn(id, connection);
                let session = self.session(id);
                session.turn = Some(WatchedTurn { line, is_open: true, ..WatchedTurn::default() });
            }
            "session/cancel" => {
                if let Some(turn) = &mut self.session(id).turn
                    && turn.is_open
                {
                    turn.is_cancelled = true;
                }
            }
            "session/set_mode" => {
                if let Some(mode) = call.param("modeId").and_then(Node::text) {
                    self.session(id).mode = mode.to_boxed();
                }
            }
            "session/set_config_option" => {
                if let (Some(option), Some(value)) = (
                    call.param("configId").and_then(Node::text),
                    call.param("value").and_then(|value| Some(value.text()?.as_cow())),
                ) && option.read(|option| option.contains("mode"))
                {
                    self.session(id).mode = value.into();
                }
            }
            _ => _ = self.session(id),
        }
    }

    fn agent_call(&mut self, method: &str, call: &Call<'_>, connection: &Connection) {
        match method {
            "session/update" => {}
            "session/request_permission" => self.permission(call, connection),
            _ => {
                let (fact, line) = (behaviour::method(method, Side::Agent), line(call.node));
                match (&fact.occasion, call.session_id()) {
                    (Occasion::Session, _) => self.facts(Side::Agent).fact(fact, line),
                    (_, Some(id)) => self.show(&id.as_cow(), fact, line),
                    _ => {}
                }
            }
        }
    }

    fn session(&mut self, id: &str) -> &mut WatchedSession {
        if !self.sessions.contains_key(id) {
            self.sessions.insert(id.into(), WatchedSession::default());
        }
        self.sessions.entry(id.into()).or_default()
    }

    /// Notes a fact of the agent in the current turn of a session. Does nothing before the first
    /// prompt.
    fn show(&mut self, session: &str, fact: Fact, line: u32) {
        if let Some(turn) = &mut self.session(session).turn {
            turn.facts.entry(fact).or_insert(line);
        }
    }

    fn update(
        &mut self,
        update: &Update<'_>,
        plan: Option<&PlanChange<'_>>,
        connection: &Connection,
    ) {
        if update.sender == Some(Side::Client) {
            return;
        }
        let line = line(update.node);
        let kind = &*update.kind.as_cow();
        let id = &*update.session_id.as_cow();
        self.note_update(kind, line);
        if !self.sessions.contains_key(id) && !self.early.contains_key(id) {
            self.early.insert(id.into(), line);
        }
        let fact = behaviour::update(kind);
        if behaviour::is_of_session(kind) {
            self.facts(Side::Agent).fact(fact, line);
        } else {
            self.show(id, fact, line);
            if let Some(turn) = &mut self.session(id).turn
                && !turn.is_open
                && connection.version() != Some(Version::V2)
                && behaviour::OF_TURNS.contains(&kind)
            {
                let fact = behaviour::fact(&order::AFTER_TURN, "", Occasion::Turn);
                turn.facts.entry(fact).or_insert(line);
            }
        }
        if kind == "state_update" && update.update.get("state").is_some_and(|it| it.is("idle")) {
            self.end_work(id, true, surface::text(update.update, "stopReason"), line);
        }
        if kind == "available_commands_update" {
            surface::read_commands(update.update, self.facts(Side::Agent));
        }
        if let Some(PlanChange::Updated(plan)) = plan {
            self.plan(plan, line);
        }
        let tool = if matches!(kind, "tool_call" | "tool_call_update") {
            self.tool_call(id, kind, update, connection)
        } else {
            "".into()
        };
        self.members(Side::Agent, kind, &tool, update.update, line);
    }

    /// Notes that the agent replays a part of the conversation of a session that was loaded.
    fn note_replay(&mut self, update: &Update<'_>) {
        let session = self.sessions.get_mut(&*update.session_id.as_cow());
        if let Some(load) = session.and_then(|session| session.load.as_mut())
            && update.sender != Some(Side::Client)
        {
            load.has_replay |= behaviour::is_of_conversation(&update.kind.as_cow());
        }
    }

    /// Ends the time in which the agent may replay a session that was loaded.
    fn end_load(&mut self, session: &str) {
        let load = self.sessions.get_mut(session).and_then(|session| session.load.take());
        let Some(WatchedLoad { line, is_answered: true, has_replay }) = load else { return };
        let facts = self.facts(Side::Agent);
        facts.occasion(Occasion::Load, line);
        if has_replay {
            facts.fact(fact(&behaviour::REPLAY, "", Occasion::Load), line);
        }
    }

    fn note_update(&mut self, kind: &str, line: u32) {
        let known = self.connection.kinds.iter().position(|known| **known == *kind);
        let place = known.unwrap_or_else(|| {
            if self.connection.kinds.len() < MEMBERS {
                self.connection.kinds.push(kind.into());
            }
            self.connection.kinds.len() - 1
        });
        let index = u16::try_from(place).unwrap_or(u16::MAX);
        self.connection.updates.push((line, index));
        if known.is_none() {
            let name = format!("session/update {kind}");
            self.note_message(&name, line);
        }
    }

    fn plan(&mut self, plan: &PlanUpdated<'_>, line: u32) {
        let body = &plan.snapshot;
        let facts = self.facts(Side::Agent);
        facts.occasion(Occasion::Plan, line);
        let mut style = |name: &str| {
            facts.fact(fact(&behaviour::PLAN_STYLE, name, Occasion::Plan), line);
        };
        match (&body.key, &body.form) {
            (PlanKey::Unnamed, _) => style("list"),
            (_, PlanBody::Items(_)) => style("items"),
            (_, PlanBody::Markdown(_)) => style("markdown"),
            (_, PlanBody::File(_)) => style("file"),
            (_, PlanBody::Other(_)) => style("other"),
        }
        if matches!(body.key, PlanKey::Named { .. }) {
            style("ids");
        }
        for entry in body.entries() {
            self.members(Side::Agent, "plan-entry", "", entry.node, line);
        }
    }

    /// Notes what an update says of a tool call. Returns the kind of the tool call, `other` where
    /// none is known; empty where the update names no tool call.
    fn tool_call(
        &mut self,
        session: &str,
        update_kind: &str,
        update: &Update<'_>,
        connection: &Connection,
    ) -> Box<str> {
        let Some(id) = update.tool_call_id else { return "".into() };
        let line = line(update.node);
        let mode = self.session(session).mode.clone();
        let session = self.session(session);
        let call = session.calls.entry(id.to_boxed()).or_default();
        let kind = surface::text(update.update, "kind");
        call.kind = kind.map(Text::to_boxed).or(call.kind.take());
        let kind = call.kind();
        let is_first = !call.is_announced;
        call.is_announced |= update_kind == "tool_call";
        for content in surface::elements(update.update.get("content")) {
            let known = ["content", "diff", "terminal"]
                .into_iter()
                .find(|kind| surface::text(content, "type").is_some_and(|own| own == *kind));
            call.contents.extend(known);
        }
        let is_completed = update.status.is_some_and(|status| status.is("completed"));
        let is_final = is_completed || update.status.is_some_and(|status| status.is("failed"));
        let ends = is_completed && !call.is_over;
        call.is_over |= is_final;
        let (is_asked, contents) = (call.is_asked, call.contents.clone());
        let is_allowed = session.allowed.contains(&kind);
        let facts = self.facts(Side::Agent);
        if update_kind == "tool_call" && is_first {
            let occasion = Occasion::Announcement(kind.clone());
            facts.occasion(occasion.clone(), line);
            let is_pending = update.status.is_none_or(|status| status.is("pending"));
            if is_pending {
                let pending = fact(&order::STARTS_PENDING, "", occasion);
                facts.fact(Fact { item: kind.clone(), ..pending }, line);
            }
        }
        if ends {
            facts.occasion(Occasion::CompletedCall(kind.clone()), line);
            if connection.client_capabilities().is_some_and(|offer| offer.has("terminal")) {
                facts.occasion(Occasion::TerminalCall(kind.clone()), line);
            }
            for content in contents {
                let occasion = match content {
                    "terminal" => Occasion::TerminalCall(kind.clone()),
                    _ => Occasion::CompletedCall(kind.clone()),
                };
                let name = format!("{kind} {content}");
                facts.fact(fact(&behaviour::TOOL_CONTENT, &name, occasion), line);
            }
            if !is_asked && !is_allowed {
                facts.occasion(Occasion::Work(kind.clone(), mode), line);
            }
        }
        kind
    }

    fn permission(&mut self, call: &Call<'_>, connection: &Connection) {
        let line = line(call.node);
        self.members(Side::Agent, "permission", "", call.params.unwrap_or(call.node), line);
        let facts = self.facts(Side::Agent);
        facts.occasion(Occasion::Permission, line);
        let options = || surface::elements(call.param("options"));
        let mut kinds = BTreeSet::new();
        for kind in options().filter_map(|option| surface::text(option, "kind")) {
            kinds.insert(kind.to_boxed());
        }
        for kind in kinds {
            let fact = fact(&behaviour::PERMISSION_OPTION, &kind, Occasion::Permission);
            facts.fact(fact, line);
        }
        options().for_each(|option| {
            self.members(Side::Agent, "permission-option", "", option, line);
        });
        let subject = call.param("toolCall");
        let subject = subject.or_else(|| call.param("subject")?.get("toolCall"));
        let (Some(session), Some(tool)) = (call.session_id(), subject) else { return };
        let Some(id) = surface::text(tool, "toolCallId") else { return };
        let lasting = options()
            .filter(|option| option.get("kind").is_some_and(|kind| kind.is("allow_always")));
        let lasting = lasting.filter_map(|option| surface::text(option, "optionId"));
        let lasting: Vec<_> = lasting.map(Text::to_boxed).collect();
        let session = self.session(&session.as_cow());
        let known = session.calls.entry(id.to_boxed()).or_default();
        let kind = surface::text(tool, "kind").map(Text::to_boxed);
        known.kind = known.kind.take().or(kind);
        let (kind, was_asked, is_announced) = (known.kind(), known.is_asked, known.is_announced);
        known.is_asked = true;
        session.asked.insert(connection.number(), (kind.clone(), lasting));
        let mode = session.mode.clone();
        let facts = self.facts(Side::Agent);
        if !was_asked {
            let occasion = Occasion::Work(kind.clone(), mode.clone());
            facts.occasion(occasion.clone(), line);
            let asked = fact(&behaviour::PERMISSION, &kind, occasion);
            facts.fact(Fact { item: mode, ..asked }, line);
        }
        facts.occasion(Occasion::NamedCall, line);
        if !is_announced {
            let fact = fact(&order::BEFORE_TOOL_CALL, "", Occasion::NamedCall);
            facts.fact(fact, line);
        }
    }

    /// Counts the members of an object (`node`) of type `kind`. `item` is the kind of tool call,
    /// for updates of tool calls; else empty. Leaves out `null` and `_meta`.
    fn members(&mut self, side: Side, kind: &str, item: &str, node: Node<'_>, line: u32) {
        if !node.is_object() {
            return;
        }
        let key = if item.is_empty() { kind.to_owned() } else { format!("{kind} {item}") };
        let types = &mut self.members[side as usize];
        if !types.contains_key(&*key) {
            if types.len() >= MEMBERS {
                self.connection.facts[side as usize].is_overfull = true;
                return;
            }
            let new =
                TypeMembers { item: item.into(), name: kind.into(), ..TypeMembers::default() };
            types.insert(key.clone().into(), new);
        }
        let Some(found) = types.get_mut(&*key) else { return };
        found.messages.add(Count::at(line));
        for (name, value) in node.members() {
            if value.kind() == Kind::Null || name.is("_meta") {
                continue;
            }
            let Some(name) = name.text() else { continue };
            let place = found.members.iter().position(|(known, _)| name == **known);
            if let Some(place) = place {
                found.members[place].1.add(Count::at(line));
            } else if found.members.len() < MEMBERS {
                found.members.push((name.to_boxed(), Count::at(line)));
            }
        }
    }

    fn answer(&mut self, answer: &Answer<'_>, connection: &Connection) {
        let request = answer.request;
        self.open.remove(&request.number);
        let (Some(asker), Some(sender)) = (request.sender, answer.sender) else { return };
        let last = &mut self.last_answered[asker as usize];
        *last = (*last).max(request.number);
        let method = &*request.method;
        let line = line(answer.node);
        let session = request.session_id.as_deref();
        if method == "session/prompt" {
            if let Some(id) = session {
                self.end_prompt(id, answer, connection.version());
            }
        } else {
            self.called(method, sender, answer);
        }
        match (method, sender) {
            ("initialize", Side::Agent) => {
                let asked = match &request.facts {
                    RequestFacts::Initialize { version: Some((version, _)), .. } => Some(*version),
                    _ => None,
                };
                surface::read_declaration(answer, asked, self.facts(Side::Agent));
                let version = answer.result().and_then(|it| it.get("protocolVersion")?.integer());
                self.connection.version = version.or(self.connection.version);
                return;
            }
            ("session/new", Side::Agent) => surface::read_session(answer, self.facts(Side::Agent)),
            ("session/request_permission", _) => {
                if let Some(id) = session {
                    self.permitted(id, request.number, answer);
                }
            }
            _ => {}
        }
        if creates_session(method) || attaches_session(method) {
            self.created(method, session, answer, connection);
        }
        if let Some(result) = answer.result() {
            self.members(sender, method, "", result, line);
        }
    }

    /// Counts as facts that `sender` answered a request of this method, with a result or with an
    /// error code.
    fn called(&mut self, method: &str, sender: Side, answer: &Answer<'_>) {
        let line = line(answer.node);
        let facts = self.facts(sender);
        let occasion = Occasion::Call(method.into());
        facts.occasion(occasion.clone(), line);
        if answer.result().is_some() {
            facts.fact(fact(&behaviour::ANSWER, method, occasion), line);
        } else if let Some(code) = answer.error_code() {
            let name = format!("{method} {code}");
            facts.fact(fact(&behaviour::ERROR_CODE, &name, occasion), line);
        }
    }

    fn created(
        &mut self,
        method: &str,
        session: Option<&str>,
        answer: &Answer<'_>,
        connection: &Connection,
    ) {
        let Some(result) = answer.result() else { return };
        let line = line(answer.node);
        let creates = creates_session(method);
        let new = result.get("sessionId").and_then(Node::text).map(Text::as_cow);
        let Some(id) = (if creates { new.as_deref() } else { session }) else { return };
        let early = self.early.remove(id);
        let agent = self.facts(Side::Agent);
        if creates {
            let occasion = Occasion::Creation(method.into());
            agent.occasion(occasion.clone(), line);
            if let Some(line) = early {
                agent.fact(fact(&order::BEFORE_ANSWER, method, occasion), line);
            }
        }
        agent.occasion(Occasion::Session, line);
        if let Some(load) = self.sessions.get_mut(id).and_then(|session| session.load.as_mut()) {
            load.is_answered = true;
        }
        let client = self.facts(Side::Client);
        client.occasion(Occasion::Session, line);
        if let Some(capabilities) = connection.agent_capabilities() {
            for path in surface::OFFERED_BY_AGENTS.into_iter().filter(|it| capabilities.has(it)) {
                client.occasion(Occasion::Offered(path.into()), line);
            }
        }
        self.session(id);
    }

    fn permitted(&mut self, session: &str, number: u64, answer: &Answer<'_>) {
        let session = self.session(session);
        let Some((kind, lasting)) = session.asked.remove(&number) else { return };
        let chosen = answer.result().and_then(|it| it.get("outcome")?.get("optionId")?.text());
        if chosen.is_some_and(|chosen| lasting.iter().any(|option| chosen == **option)) {
            session.allowed.insert(kind);
        }
    }

    /// Notes the answer to a prompt. It ends the work of the turn, except for a result on version
    /// 2.
    fn end_prompt(&mut self, session: &str, answer: &Answer<'_>, version: Option<Version>) {
        let line = line(answer.node);
        let result = answer.result();
        if version != Some(Version::V2) || result.is_none() {
            let reason = result.and_then(|result| result.get("stopReason")?.text());
            self.end_work(session, result.is_some(), reason, line);
        }
        let is_cancelled =
            |it: &WatchedSession| it.turn.as_ref().is_some_and(|turn| turn.is_cancelled);
        if self.sessions.get(session).is_some_and(is_cancelled) {
            return;
        }
        let facts = self.facts(Side::Agent);
        let occasion = Occasion::Call("session/prompt".into());
        facts.occasion(occasion.clone(), line);
        if let Some(code) = answer.error_code() {
            let name = format!("session/prompt {code}");
            facts.fact(fact(&behaviour::ERROR_CODE, &name, occasion), line);
        }
    }

    /// Notes that the work on the current prompt is over, and counts its stop reason as a fact.
    /// Does nothing when the work was over already.
    fn end_work(
        &mut self,
        session: &str,
        has_succeeded: bool,
        reason: Option<Text<'_>>,
        line: u32,
    ) {
        let Some(turn) = &mut self.session(session).turn else { return };
        if !std::mem::replace(&mut turn.is_open, false) {
            return;
        }
        let is_cancelled = turn.is_cancelled;
        let says_so = reason.is_some_and(|reason| reason == "cancelled");
        turn.is_complete = has_succeeded && !is_cancelled && !says_so;
        let is_complete = turn.is_complete;
        self.session(session).has_complete_turn |= is_complete;
        let facts = self.facts(Side::Agent);
        if is_cancelled {
            facts.occasion(Occasion::CancelledTurn, line);
            if says_so {
                let kind = &behaviour::CANCELLED_TURN;
                facts.fact(fact(kind, behaviour::CANCELLED, Occasion::CancelledTurn), line);
            }
        } else if let Some(reason) = reason {
            facts.occasion(Occasion::Ending, line);
            let reason = reason.as_cow();
            facts.fact(fact(&behaviour::STOP_REASON, &reason, Occasion::Ending), line);
        }
    }

    /// Ends the current turn of a session. The turn's facts count only if it ended with success and
    /// was not cancelled.
    fn end_turn(&mut self, session: &str, connection: &Connection) {
        let Some(turn) = self.sessions.get_mut(session).and_then(|it| it.turn.take()) else {
            return;
        };
        if !turn.is_complete {
            return;
        }
        let facts = self.facts(Side::Agent);
        facts.occasion(Occasion::Turn, turn.line);
        if let Some(capabilities) = connection.client_capabilities() {
            for path in surface::OFFERED_BY_CLIENTS.into_iter().filter(|it| capabilities.has(it)) {
                facts.occasion(Occasion::Offered(path.into()), turn.line);
            }
        }
        for (fact, line) in turn.facts {
            facts.fact(fact, line);
        }
    }

    fn finish(mut self, connection: &Connection) -> WatchedConnection {
        let mut sessions: Vec<_> = self.sessions.keys().cloned().collect();
        sessions.sort_unstable();
        for session in sessions {
            self.end_load(&session);
            self.end_turn(&session, connection);
        }
        // What was asked before something that was answered has no answer.
        for (number, (method, asker, line)) in std::mem::take(&mut self.open) {
            if number < self.last_answered[asker as usize] && &*method != "session/prompt" {
                self.facts(asker.peer()).occasion(Occasion::Call(method), line);
            }
        }
        for side in [Side::Client, Side::Agent] {
            for (_, members) in std::mem::take(&mut self.members[side as usize]) {
                members.add_to(&mut self.connection.facts[side as usize]);
            }
        }
        // Findings that belong to no method.
        self.note_message("", 0);
        let recording = connection.recording();
        let is_changed = recording.limits.iter().any(|limit| limit.loss.changes_history());
        self.connection.is_lossy = is_changed || recording.only.is_some() || connection.lost() > 0;
        self.connection
    }
}

impl TypeMembers {
    fn add_to(self, facts: &mut FactSet) {
        let Self { item, name, messages, members } = self;
        let occasion = Occasion::Message(format!("{name} {item}").into());
        facts.count_occasion(occasion.clone(), messages);
        for (member, count) in members {
            let fact = fact(&behaviour::MEMBER, &format!("{name}.{member}"), occasion.clone());
            facts.count_fact(Fact { item: item.clone(), ..fact }, count);
        }
    }
}
