//! Follows the connections of a transcript, and keeps what is not told yet.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    ActionKind, AuditEvent, AuditedSession, Decision, Join, Outside, Proof,
    describe::Target,
    entry::{Circumstances, Deed, Entry, Moment, Question, Reply},
};
use crate::{
    check::{EventKind, ObservedEvent},
    event::{Call, Update, target},
    json::{Node, Text},
    map::{IndexMap, Map},
    model::{
        Answer, Connection, Session,
        session::{config, tool_calls::ToolCallStatus},
    },
    protocol::{Side, Version, methods},
    source::printable,
    transcript::limits::Loss,
};

/// Most tool calls and actions of a session, and most unanswered requests of a connection, that are
/// kept at once. Further ones are only counted as not followed.
const OPEN: usize = 100_000;
/// Most modes, grants and directories of a session that are kept; further ones are missing in the
/// log.
const FACTS: usize = 64;
/// Most tool calls under way that are kept with an action of the client as those that it may belong
/// to.
const FITTING: usize = 16;

/// Collects the audit log of a recording: the state of all its connections.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    connections: Map<u32, ConnectionLedger>,
}

/// The state of one connection from which the rows of its audit log are made: sessions, unanswered
/// requests, names.
#[derive(Debug, Default)]
pub(super) struct ConnectionLedger {
    pub(super) number: u32,
    pub(super) client: Option<Arc<str>>,
    pub(super) agent: Option<Arc<str>>,
    /// Sessions by id. Messages that name no session count to the empty id.
    sessions: IndexMap<Box<str>, SessionLedger>,
    /// What the answer to each request without answer will decide, by the message number of the
    /// request.
    pending: Map<u64, Pending>,
    /// Session id and action number of each question to open a URL that is not complete, by
    /// elicitation id.
    links: Map<Box<str>, (Box<str>, u64)>,
    /// Names of the MCP servers behind connections over ACP, by connection id.
    servers: Map<Box<str>, Box<str>>,
    not_followed: u64,
    /// Kinds of messages that this recording never has. A missing message of such a kind makes a
    /// row unclear.
    pub(super) gaps: Gaps,
}

/// Kinds of messages that a recording cannot contain, such as one of a single side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gaps {
    /// Whether the recording has no answers of the client at all, so that a missing one means
    /// nothing.
    pub(super) answers: bool,
    /// Whether the recording has no requests of the agent at all, so that a missing one means
    /// nothing.
    pub(super) requests: bool,
    /// Whether the recording lacks the beginning of the connection, so that earlier grants are
    /// unknown.
    pub(super) beginning: bool,
}

/// State of one session for the audit log: its modes, grants, tool calls and actions of the client.
#[derive(Debug, Default)]
pub(super) struct SessionLedger {
    mode: Option<Arc<str>>,
    modes: Vec<(u32, Box<str>)>,
    always: Option<u32>,
    grants: Vec<(u32, Box<str>)>,
    directories: Vec<String>,
    /// Number of the entry of each tool call, also of entries whose rows were written.
    ids: Map<Box<str>, u64>,
    pub(super) entries: BTreeMap<u64, Entry>,
    pub(super) deeds: BTreeMap<u64, Deed>,
    /// Numbers of the client's actions that have no tool call yet; `join` looks for one.
    pub(super) loose: Vec<u64>,
    /// Entries whose tool call is under way and may write; in `running`, those that may run
    /// commands.
    writing: BTreeSet<u64>,
    running: BTreeSet<u64>,
    /// Numbers of the actions in the agent's own terminals (version 2), by terminal id.
    terminals: Map<Box<str>, u64>,
    pub(super) next: u64,
}

/// What to do with the answer to a request. Texts are session ids and numbers those of entries or
/// actions, if not said otherwise.
#[derive(Debug)]
enum Pending {
    /// An answer to a permission request: the session and the number of the entry.
    Question(Box<str>, u64),
    Deed(Box<str>, u64),
    /// An answer to a request that the client open a URL: the session, and the number of the
    /// action.
    Link(Box<str>, u64),
    /// The answer to `session/set_mode`: the session, and the mode.
    Mode(Box<str>, Box<str>),
    /// The answer to a request that creates or attaches a session, with the directories that it
    /// names.
    SetUp(Vec<String>),
    Option(Box<str>),
    /// The answer to a request for an MCP connection; the text is the name of the MCP server.
    Server(Box<str>),
}

impl Ledger {
    /// Takes an event of the check, and passes on the rows that are complete.
    pub(super) fn see(&mut self, event: &ObservedEvent<'_>, tell: &mut impl FnMut(AuditEvent)) {
        let connection = self.connections.entry(event.number).or_insert_with(|| ConnectionLedger {
            number: event.number,
            ..ConnectionLedger::default()
        });
        match event.kind {
            EventKind::Call { call, update, .. } => {
                if let Some(update) = update {
                    connection.update(update, event, tell);
                } else {
                    connection.call(call, event);
                }
            }
            EventKind::Answer(answer) => connection.answer(answer, event.connection, tell),
            EventKind::End => {
                let mut connection = self.connections.remove(&event.number).unwrap_or_default();
                connection.finish(event.connection, tell);
            }
        }
    }
}

fn text(call: &Call<'_>, name: &str) -> Option<Box<str>> {
    Some(call.param(name)?.text()?.to_boxed())
}

/// Name and version of an implementation, from `clientInfo` or `agentInfo`; `None` without a name.
fn implementation(info: Option<Node<'_>>) -> Option<Arc<str>> {
    let info = info?;
    let name = info.get("name")?.text()?.as_cow();
    let version = info.get("version").and_then(Node::text).map(Text::as_cow);
    let version = version.filter(|version| !version.is_empty());
    let name = printable(&name);
    Some(match version {
        Some(version) => format!("{name} {}", printable(&version)).into(),
        None => name.into(),
    })
}

fn moment(connection: &Connection, node: Node<'_>, time: Option<f64>) -> Moment {
    Moment { line: node.span().line, number: connection.number(), time }
}

/// Id of the current mode in a result that has `modes` or `configOptions`; `None` in other results.
fn mode_of(node: Node<'_>) -> Option<Box<str>> {
    let own = node.path(&["modes", "currentModeId"]).and_then(Node::text).map(Text::to_boxed);
    own.or_else(|| option_mode(node.get("configOptions")?))
}

/// The current value of the config option with the category `mode`, which serves as the session's
/// mode; `None` without such an option.
fn option_mode(options: Node<'_>) -> Option<Box<str>> {
    let is_mode =
        |option: &Node<'_>| option.get("category").is_some_and(|category| category.is("mode"));
    let option = options.elements().find(is_mode)?;
    Some(option.get("currentValue")?.text()?.to_boxed())
}

impl SessionLedger {
    fn set_mode(&mut self, mode: &str, line: u32) {
        if self.mode.as_deref() == Some(mode) {
            return;
        }
        self.mode = Some(mode.into());
        if self.modes.len() < FACTS {
            self.modes.push((line, mode.into()));
        }
    }

    fn circumstances(&self, session: Option<&Session>, lost: u64) -> Circumstances {
        Circumstances {
            turn: session.map_or(0, |session| session.turn.number),
            mode: self.mode.clone(),
            roots: session.and_then(|session| session.roots.clone()),
            is_replayed: session.is_some_and(Session::is_replaying),
            always: self.always,
            lost,
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Number of tool calls and actions of the session that are kept at the moment, for the limit
    /// `OPEN`.
    fn len(&self) -> usize {
        self.entries.len() + self.deeds.len()
    }

    /// The entry of a tool call, made if there is none. `begins` makes a new one if the last has
    /// ended. `None` where its rows were written already.
    fn entry(
        &mut self,
        id: Text<'_>,
        begins: bool,
        at: Moment,
        session: Option<&Session>,
        lost: u64,
    ) -> Option<u64> {
        let name = id.to_boxed();
        if let Some(known) = self.ids.get(&name) {
            match self.entries.get(known) {
                Some(entry) if !(begins && entry.ended().is_some()) => return Some(*known),
                None if !begins => return None,
                _ => {}
            }
        }
        let number = self.number();
        let circumstances = self.circumstances(session, lost);
        self.ids.insert(name.clone(), number);
        self.entries.insert(number, Entry::new(Some(name), at, circumstances));
        Some(number)
    }

    /// Adds the tool call to `writing` and `running`, or removes it there, by its kind and status.
    fn follow(&mut self, number: u64) {
        let Some(entry) = self.entries.get(&number) else { return };
        let kind = entry.description.tool_kind();
        let is_open = entry.is_reported && entry.ended().is_none();
        for (set, fits) in
            [(&mut self.writing, kind.may_write()), (&mut self.running, kind.may_run())]
        {
            if is_open && fits {
                set.insert(number);
            } else {
                set.remove(&number);
            }
        }
    }

    /// The tool calls under way that may do an action of this kind, at most `FITTING`.
    fn fitting(&self, kind: ActionKind) -> Box<[u64]> {
        let set = match kind {
            ActionKind::Write => &self.writing,
            ActionKind::Run => &self.running,
            _ => return Box::default(),
        };
        set.iter().copied().take(FITTING).collect()
    }

    /// Removes an entry whose rows were written, and returns it; `None` when there is none of this
    /// number.
    pub(super) fn forget(&mut self, number: u64) -> Option<Entry> {
        self.writing.remove(&number);
        self.running.remove(&number);
        self.entries.remove(&number)
    }
}

impl ConnectionLedger {
    fn session(&mut self, id: &str) -> &mut SessionLedger {
        if !self.sessions.contains_key(id) {
            self.sessions.insert(id.into(), SessionLedger::default());
        }
        &mut self.sessions[id]
    }

    /// Whether the session and connection are below the limit `OPEN`, so that another entry or
    /// request is kept. Counts it as not followed otherwise.
    fn has_room(&mut self, session: &str) -> bool {
        let is_free = self.session(session).len() < OPEN && self.pending.len() < OPEN;
        self.not_followed += u64::from(!is_free);
        is_free
    }

    fn call(&mut self, call: &Call<'_>, event: &ObservedEvent<'_>) {
        let connection = event.connection;
        let at = moment(connection, call.node, call.message.at);
        let id = call.session_id().map(Text::to_boxed).unwrap_or_default();
        let number = connection.number();
        let method = call.name();
        match &*method {
            "initialize" => {
                self.client =
                    implementation(call.param("clientInfo").or_else(|| call.param("info")));
            }
            "session/request_permission" => self.question(&id, call, at, event),
            "fs/write_text_file" | "fs/read_text_file" | "terminal/create" => {
                self.request(&id, &method, call, at, event);
            }
            "session/set_mode" => {
                if let Some(mode) = text(call, "modeId") {
                    self.pend(number, Pending::Mode(id, mode));
                }
            }
            "session/set_config_option" => self.pend(number, Pending::Option(id)),
            "elicitation/create" => self.link(&id, call, at, event),
            "elicitation/complete" => {
                if let Some((session, deed)) =
                    text(call, "elicitationId").and_then(|id| self.links.remove(&id))
                    && let Some(deed) = self.session(&session).deeds.get_mut(&deed)
                {
                    deed.result = Some((true, at));
                    deed.proof = Proof::Agent;
                    deed.is_over = true;
                }
            }
            method if methods::logs_in(method) => {
                let target = text(call, "methodId").unwrap_or_default();
                self.alone(&id, ActionKind::Login, &target, Proof::Client, at, event);
            }
            "mcp/connect" => {
                let server = text(call, "serverId").or_else(|| text(call, "acpId"));
                self.pend(number, Pending::Server(server.unwrap_or_default()));
            }
            "mcp/message" => self.inner(&id, call, at, event),
            method if methods::sets_up_session(method) => {
                let cwd = call.param("cwd").and_then(Node::text);
                let more = call.param("additionalDirectories");
                let more = more.into_iter().flat_map(Node::elements).filter_map(Node::text);
                let directories = cwd.into_iter().chain(more).take(FACTS);
                let directories = directories.map(|path| path.as_cow().into_owned()).collect();
                self.pend(number, Pending::SetUp(directories));
            }
            _ => {}
        }
    }

    fn pend(&mut self, number: u64, pending: Pending) {
        if self.pending.len() < OPEN {
            self.pending.insert(number, pending);
        } else {
            self.not_followed += 1;
        }
    }

    fn question(&mut self, id: &str, call: &Call<'_>, at: Moment, event: &ObservedEvent<'_>) {
        if !self.has_room(id) {
            return;
        }
        let connection = event.connection;
        let model = event.session();
        let cwd = model.and_then(|session| session.home.as_ref()).map(|home| &*home.path);
        let subject = call.param("subject");
        let report = call.param("toolCall").or_else(|| subject?.get("toolCall"));
        let of_command = subject.and_then(|subject| subject.get("toolCallId")?.text());
        let tool_call = report.and_then(|report| report.get("toolCallId")?.text()).or(of_command);
        let terminal = subject.and_then(|subject| subject.get("terminalId")?.text());
        let session = self.session(id);
        let number = match tool_call {
            Some(tool_call) => {
                let lost = connection.lost_to(Some(Side::Agent));
                let known = session.entry(tool_call, false, at, model, lost);
                known.or_else(|| session.entry(tool_call, true, at, model, lost))
            }
            None => None,
        };
        let number = number.unwrap_or_else(|| {
            let number = session.number();
            let circumstances = session.circumstances(model, connection.lost_to(Some(Side::Agent)));
            session.entries.insert(number, Entry::new(None, at, circumstances));
            number
        });
        let Some(entry) = session.entries.get_mut(&number) else { return };
        if let Some(report) = report {
            entry.description.add(report, cwd);
        }
        if let Some(command) = subject.and_then(|subject| subject.get("command")?.text()) {
            entry.description.set_command(&command.as_cow());
        }
        if let Some(terminal) = terminal
            && !entry.description.terminals.iter().any(|own| terminal == **own)
        {
            entry.description.terminals.push(terminal.to_boxed());
        }
        if report.is_none() && subject.is_none() {
            entry.description.add_title(call.param("title"));
        }
        // On version 2, the question reports the tool call.
        entry.is_reported |= subject.is_some_and(|subject| subject.get("toolCall").is_some());
        entry.ask(Question::of(call, at));
        session.follow(number);
        self.pend(connection.number(), Pending::Question(id.into(), number));
    }

    /// Adds a file or terminal request of the agent to the client as an action of the session with
    /// this id.
    fn request(
        &mut self,
        id: &str,
        method: &str,
        call: &Call<'_>,
        at: Moment,
        event: &ObservedEvent<'_>,
    ) {
        if call.id.is_none() || !self.has_room(id) {
            return;
        }
        let model = event.session();
        let home = model.and_then(|session| session.home.as_ref()).map(|home| &*home.path);
        let roots = model.and_then(|session| session.roots.as_ref());
        let outside = |path: &str| match roots.and_then(|roots| roots.hold(path)) {
            Some(true) => Outside::No,
            Some(false) => Outside::Yes,
            None => Outside::Unknown,
        };
        let param = |name| call.param(name).and_then(Node::text).map(Text::as_cow);
        let (kind, target, outside) = if method == "terminal/create" {
            let program = param("command").unwrap_or_default();
            let arguments = call.param("args").into_iter().flat_map(Node::elements);
            let arguments: Vec<_> = arguments.filter_map(Node::text).map(Text::as_cow).collect();
            let line = target::command_line(&program, &arguments);
            let outside = param("cwd").map_or(Outside::Unknown, |cwd| outside(&cwd));
            (ActionKind::Run, Target::command(&line), outside)
        } else {
            let path = param("path").unwrap_or_default();
            let kind =
                if method == "fs/read_text_file" { ActionKind::Read } else { ActionKind::Write };
            (kind, Target::path(&path, home), outside(&path))
        };
        let session = self.session(id);
        let deed = Deed {
            kind,
            target,
            begun: at,
            at: session.circumstances(model, event.connection.lost_to(Some(Side::Agent))),
            outside,
            proof: Proof::Client,
            result: None,
            is_over: false,
            terminal: None,
            fitting: session.fitting(kind),
            is_request: true,
            is_joined: true,
            has_begun: true,
            join: Join::None,
            doubt: None,
        };
        let number = session.number();
        session.deeds.insert(number, deed);
        session.loose.push(number);
        self.pend(event.connection.number(), Pending::Deed(id.into(), number));
    }

    /// Adds an action of the client that no tool call can explain, such as a login, with an entry
    /// of its own. Returns the number of the entry; `None` when the limit `OPEN` is reached.
    fn alone(
        &mut self,
        id: &str,
        kind: ActionKind,
        target: &str,
        proof: Proof,
        at: Moment,
        event: &ObservedEvent<'_>,
    ) -> Option<u64> {
        if !self.has_room(id) {
            return None;
        }
        let model = event.session();
        let session = self.session(id);
        let circumstances =
            session.circumstances(model, event.connection.lost_to(Some(Side::Agent)));
        let (number, entry) = (session.number(), session.number());
        let deed = Deed {
            kind,
            target: Target::text(target),
            begun: at,
            at: circumstances.clone(),
            outside: Outside::Unknown,
            proof,
            result: None,
            is_over: false,
            terminal: None,
            fitting: Box::default(),
            is_request: false,
            is_joined: false,
            has_begun: true,
            join: Join::None,
            doubt: None,
        };
        session.deeds.insert(number, deed);
        let mut own = Entry::new(None, at, circumstances);
        own.deeds.push(number);
        session.entries.insert(entry, own);
        self.pend(event.connection.number(), Pending::Deed(id.into(), number));
        Some(entry)
    }

    /// Notes an elicitation by URL, which asks the client to open the URL.
    fn link(&mut self, id: &str, call: &Call<'_>, at: Moment, event: &ObservedEvent<'_>) {
        if !call.param("mode").is_some_and(|mode| mode.is("url")) {
            return;
        }
        let url = call.param("url").and_then(Node::text).map(Text::as_cow).unwrap_or_default();
        let url = target::bare_url(&url);
        let Some(entry) = self.alone(id, ActionKind::Open, &url, Proof::Client, at, event) else {
            return;
        };
        let elicitation = text(call, "elicitationId");
        let session = self.session(id);
        let Some(own) = session.entries.get_mut(&entry) else { return };
        own.ask(Question::new(at));
        let deed = own.deeds.first().copied();
        if let (Some(elicitation), Some(deed)) = (elicitation, deed)
            && self.links.len() < OPEN
        {
            self.links.insert(elicitation, (id.into(), deed));
        }
        self.pend(event.connection.number(), Pending::Link(id.into(), entry));
    }

    /// Adds a tool call on an MCP server that the client provides over ACP as an action of the
    /// session.
    fn inner(&mut self, id: &str, call: &Call<'_>, at: Moment, event: &ObservedEvent<'_>) {
        let is_call = call.param("method").is_some_and(|method| method.is("tools/call"));
        if !is_call || call.message.sender == Some(Side::Client) {
            return;
        }
        let server = text(call, "connectionId");
        let server = server.map(|id| self.servers.get(&id).cloned().unwrap_or(id));
        let inner = call.param("params").and_then(|params| params.get("name")?.text());
        let tool = inner.map(Text::as_cow).unwrap_or_default();
        let target = format!("{}: {tool}", server.unwrap_or_default());
        self.alone(id, ActionKind::Tool, &target, Proof::Client, at, event);
    }

    fn update(
        &mut self,
        update: &Update<'_>,
        event: &ObservedEvent<'_>,
        tell: &mut impl FnMut(AuditEvent),
    ) {
        let connection = event.connection;
        let at = moment(connection, update.node, update.message.at);
        let id = update.session_id.to_boxed();
        let kind = update.kind.as_cow();
        match &*kind {
            "current_mode_update" => {
                let mode =
                    update.update.get("currentModeId").or_else(|| update.update.get("modeId"));
                if let Some(mode) = mode.and_then(Node::text) {
                    self.session(&id).set_mode(&mode.as_cow(), at.line);
                }
            }
            "config_option_update" => {
                if let Some(mode) = config::reported(update).and_then(option_mode) {
                    self.session(&id).set_mode(&mode, at.line);
                }
            }
            "tool_call" | "tool_call_update" => self.tool_call(&id, &kind, update, at, event),
            "terminal_update" | "terminal_output_chunk" => self.terminal(&id, update, at, event),
            "state_update" if update.update.get("state").is_some_and(|state| state.is("idle")) => {
                self.settle(&id, connection, false, tell);
            }
            _ => {}
        }
    }

    fn tool_call(
        &mut self,
        id: &str,
        kind: &str,
        update: &Update<'_>,
        at: Moment,
        event: &ObservedEvent<'_>,
    ) {
        let Some(tool_call) = update.tool_call_id else { return };
        let (version, model) = (event.connection.version(), event.session());
        let is_replayed = model.is_some_and(Session::is_replaying);
        let cwd = model.and_then(|session| session.home.as_ref()).map(|home| &*home.path);
        let announces = kind == "tool_call" || is_replayed && version == Some(Version::V2);
        if !self.has_room(id) {
            return;
        }
        let lost = event.connection.lost_to(Some(Side::Agent));
        let session = self.session(id);
        let Some(number) = session.entry(tool_call, announces, at, model, lost) else { return };
        let Some(entry) = session.entries.get_mut(&number) else { return };
        let is_new = !entry.is_reported;
        entry.is_reported = true;
        if is_new && version != Some(Version::V2) {
            entry.is_announced = kind == "tool_call" || !entry.questions.is_empty();
        }
        entry.description.add(update.update, cwd);
        if let Some((status, _)) = ToolCallStatus::set_by(update.status, version) {
            let is_news = entry.status.is_none_or(|(known, _)| known != status);
            if is_news {
                entry.status = Some((status, at));
            }
        }
        session.follow(number);
    }

    /// Notes an update of a terminal that the agent itself runs (version 2).
    fn terminal(&mut self, id: &str, update: &Update<'_>, at: Moment, event: &ObservedEvent<'_>) {
        let Some(terminal) = update.update.get("terminalId").and_then(Node::text) else { return };
        if !self.has_room(id) {
            return;
        }
        let model = event.session();
        let name = terminal.to_boxed();
        let session = self.session(id);
        let known = session.terminals.get(&name).copied();
        let number = known.unwrap_or_else(|| {
            let deed = Deed {
                kind: ActionKind::Run,
                target: Target::text(""),
                begun: at,
                at: session.circumstances(model, event.connection.lost_to(Some(Side::Agent))),
                outside: Outside::Unknown,
                proof: Proof::Agent,
                result: None,
                is_over: false,
                terminal: Some(name.clone()),
                fitting: session.fitting(ActionKind::Run),
                is_request: false,
                is_joined: true,
                has_begun: false,
                join: Join::None,
                doubt: None,
            };
            let number = session.number();
            session.deeds.insert(number, deed);
            session.loose.push(number);
            session.terminals.insert(name, number);
            number
        });
        let Some(deed) = session.deeds.get_mut(&number) else { return };
        if let Some(command) = update.update.get("command").and_then(Node::text) {
            deed.target = Target::command(&target::command_text(&command.as_cow()));
        }
        let roots = model.and_then(|session| session.roots.as_ref());
        if let Some(cwd) = update.update.get("cwd").and_then(Node::text) {
            deed.outside = match roots.and_then(|roots| roots.hold(&cwd.as_cow())) {
                Some(true) => Outside::No,
                Some(false) => Outside::Yes,
                None => Outside::Unknown,
            };
        }
        let shows = |name| update.update.get(name).is_some_and(|value| !value.is_null());
        let runs = shows("exitStatus") || shows("output") || shows("data");
        if runs && !deed.has_begun {
            (deed.begun, deed.has_begun) = (at, true);
        }
        if shows("exitStatus") {
            deed.result = deed.result.or(Some((true, at)));
            deed.is_over = true;
        }
    }

    fn answer(
        &mut self,
        answer: &Answer<'_>,
        connection: &Connection,
        tell: &mut impl FnMut(AuditEvent),
    ) {
        let at = moment(connection, answer.node, answer.message.at);
        if &*answer.request.method == "initialize"
            && let Some(result) = answer.result()
        {
            self.agent = implementation(result.get("agentInfo").or_else(|| result.get("info")));
        }
        match self.pending.remove(&answer.request.number) {
            Some(Pending::Question(id, number)) => self.reply(&id, number, answer, at),
            Some(Pending::Deed(id, number)) => {
                let terminal = answer.result().and_then(|result| result.get("terminalId")?.text());
                if let Some(deed) = self.session(&id).deeds.get_mut(&number) {
                    let is_error = answer.error().is_some()
                        || answer.result().is_some_and(|result| {
                            result.get("isError").and_then(Node::boolean) == Some(true)
                        });
                    if deed.kind != ActionKind::Open {
                        deed.result = Some((!is_error, at)).filter(|_| !answer.ambiguous);
                    }
                    deed.terminal = terminal.map(Text::to_boxed);
                    deed.is_over = true;
                }
            }
            Some(Pending::Link(id, number)) => {
                let action = answer.result().and_then(|result| result.get("action")?.text());
                let decision = action.map(|action| {
                    action.read(|action| match action {
                        "accept" => Decision::Accepted,
                        "decline" => Decision::Declined,
                        "cancel" => Decision::Cancelled,
                        _ => Decision::Other,
                    })
                });
                let decision = decision.unwrap_or(Decision::Error);
                let is_refusal = !matches!(decision, Decision::Accepted | Decision::Other);
                let session = self.session(&id);
                let Some(entry) = session.entries.get_mut(&number) else { return };
                let deeds = entry.deeds.clone();
                if let Some(question) = entry.questions.last_mut() {
                    question.reply =
                        Some(Reply { at, decision, unclear: None, option: None, is_refusal });
                }
                for deed in deeds {
                    if let Some(deed) = session.deeds.get_mut(&deed) {
                        // An accepted link is complete when the agent says so.
                        deed.is_over = is_refusal;
                    }
                }
            }
            Some(Pending::Mode(id, mode)) if answer.result().is_some() => {
                self.session(&id).set_mode(&mode, at.line);
            }
            Some(Pending::Option(id)) => {
                if let Some(mode) = config::listed(answer).and_then(option_mode) {
                    self.session(&id).set_mode(&mode, at.line);
                }
            }
            Some(Pending::SetUp(directories)) => {
                self.set_up(answer, directories, at, connection, tell);
            }
            Some(Pending::Server(server)) => {
                let id = answer.result().and_then(|result| result.get("connectionId")?.text());
                if let Some(id) = id
                    && self.servers.len() < OPEN
                {
                    self.servers.insert(id.to_boxed(), server);
                }
            }
            Some(Pending::Mode(..)) | None => {}
        }
        if &*answer.request.method == "session/prompt"
            && connection.version() != Some(Version::V2)
            && let Some(id) = answer.request.session_id.as_deref()
        {
            self.settle(id, connection, false, tell);
        }
    }

    fn set_up(
        &mut self,
        answer: &Answer<'_>,
        directories: Vec<String>,
        at: Moment,
        connection: &Connection,
        tell: &mut impl FnMut(AuditEvent),
    ) {
        let Some(result) = answer.result() else { return };
        let named = result.get("sessionId").and_then(Node::text).map(Text::to_boxed);
        let id = named.or_else(|| answer.request.session_id.as_deref().map(Into::into));
        let Some(id) = id else { return };
        let session = self.session(&id);
        session.directories = directories;
        if let Some(mode) = mode_of(result) {
            session.set_mode(&mode, at.line);
        }
        // What was replayed has ended.
        self.settle(&id, connection, false, tell);
    }

    /// Notes the answer to the permission request of entry `number`, and the grant if the client
    /// chose `allow_always`.
    fn reply(&mut self, id: &str, number: u64, answer: &Answer<'_>, at: Moment) {
        let session = self.session(id);
        let Some(entry) = session.entries.get_mut(&number) else { return };
        let asked = |question: &&mut Question| question.asked.number == answer.request.number;
        let Some(question) = entry.questions.iter_mut().find(asked) else { return };
        question.answer(answer, at);
        if let Some(Reply { decision: Decision::AllowedAlways, option, .. }) = &question.reply {
            session.always = Some(at.line);
            if session.grants.len() < FACTS {
                session.grants.push((at.line, option.clone().unwrap_or_default()));
            }
        }
    }

    /// Finds the tool calls of a session's actions, and passes rows that are complete to `tell`.
    /// `is_last` completes all at the end of the session.
    fn settle(
        &mut self,
        id: &str,
        connection: &Connection,
        is_last: bool,
        tell: &mut impl FnMut(AuditEvent),
    ) {
        self.gaps = Gaps::of(connection);
        let Some(mut session) = self.sessions.get_mut(id).map(std::mem::take) else { return };
        session.join();
        self.tell(id, &mut session, connection.lost_to(Some(Side::Agent)), is_last, tell);
        self.sessions[id] = session;
    }

    fn finish(&mut self, connection: &Connection, tell: &mut impl FnMut(AuditEvent)) {
        let ids: Vec<_> = self.sessions.keys().cloned().collect();
        for id in &ids {
            self.settle(id, connection, true, tell);
        }
        for id in ids.into_iter().filter(|id| !id.is_empty()) {
            let session = &self.sessions[&id];
            let owned = |facts: &[(u32, Box<str>)]| {
                facts.iter().map(|(line, text)| (*line, text.to_string())).collect()
            };
            tell(AuditEvent::Session(Box::new(AuditedSession {
                connection: self.number,
                session: id.into(),
                agent: self.agent.as_deref().map(str::to_owned),
                client: self.client.as_deref().map(str::to_owned),
                directories: session.directories.clone(),
                modes: owned(&session.modes),
                grants: owned(&session.grants),
            })));
        }
        if self.not_followed > 0 {
            tell(AuditEvent::NotFollowed(self.not_followed));
        }
    }

    pub(super) fn count_not_followed(&mut self, more: u64) {
        self.not_followed += more;
    }
}

impl Gaps {
    fn of(connection: &Connection) -> Self {
        let recording = connection.recording();
        let lacks = |loss| recording.limits.iter().any(|limit| limit.loss == loss);
        let is_of_updates = lacks(Loss::AllButUpdates);
        let agent_only = recording.only == Some(Side::Agent);
        Self {
            answers: is_of_updates
                || agent_only
                || recording.no_answers_of == Some(Side::Client)
                || lacks(Loss::AnswersOf(Side::Client))
                || lacks(Loss::AllBut(Side::Agent)),
            requests: is_of_updates
                || recording.only == Some(Side::Client)
                || lacks(Loss::AgentRequests)
                || lacks(Loss::AllBut(Side::Client)),
            beginning: !connection.head_is_complete(),
        }
    }
}
