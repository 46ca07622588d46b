//! One connection between a client and an agent: what is agreed, what waits, and its sessions.
//!
//! Each message is applied after its rules have run, so that rules see what its sender could know.

use std::fmt;

use crate::{
    event::{Call, CallKind, Message, MethodStatus, PlanRemoved, Update},
    json::{Node, Text},
    model::{
        anchor::{Anchor, Pointer},
        request::{Request, facts::RequestFacts, id::Id},
        response::Answer,
        session::{
            Session, SessionOrigin,
            plans::{self, updated::PlanUpdated},
        },
        settings::ConnectionSettings,
        story::Stories,
    },
    protocol::{Edition, Side, Surface, Version, methods},
    source::Span,
    transcript::{Extent, RecordingTraits},
};

pub mod auth;
pub mod batches;
pub mod elicitations;
pub mod mcp;
pub mod negotiation;
pub mod providers;
pub mod rpc;
pub mod session_lists;
mod sessions;
mod story;

use negotiation::{Capabilities, Negotiation, Phase};

/// One connection between a client and an agent.
#[derive(Debug, Default)]
pub struct Connection {
    settings: ConnectionSettings,
    pub rpc: rpc::Correlator,
    pub negotiation: Negotiation,
    /// The result of [`Connection::version`].
    version: Option<Version>,
    sessions: sessions::Sessions,
    /// Messages of this connection so far, flaws and lost passages not counted.
    messages: u64,
    /// Those among them that are neither calls nor answers.
    others: u64,
    head: Option<bool>,
    /// Number of the last message of the peer that each side has provably seen.
    seen: [u64; 2],
    /// Number of each side's last message.
    spoke: [u64; 2],
    /// Seconds on the recorder's clock of the message before the one that is judged.
    previous_at: Option<f64>,
    /// The number of passages so far that could not be read.
    lost: u64,
    /// Whether the recorder may have lost messages.
    has_gaps: bool,
    /// Whether the recording breaks off in the middle of a line.
    is_cut: bool,
    /// The side whose messages have ended first, once that is on record.
    first_ended: Option<Side>,
    /// The last message of the recording, once it has ended.
    last: Option<Anchor>,
    /// The number of messages so far that a conforming reader may have refused as unreadable.
    unclear: u64,
    /// Whether the message that comes next, or that is being judged, is spread over several lines.
    is_split: bool,
    /// Number of the client's last message that cancels something but does not name it legibly; 0
    /// before the first.
    pub vaguely_cancelled: u64,
    /// The last notification of the client, of the agent, and of unknown senders.
    notified: [Option<Anchor>; 3],
    pub batches: batches::Batches,
    pub plans: plans::Spellings,
    /// Plans of the recording's other connections; `None` when it has one connection.
    pub other_hops: Option<plans::OtherHops>,
    pub authentication: auth::Authentication,
    pub session_lists: session_lists::SessionLists,
    pub elicitations: elicitations::Elicitations,
    pub mcp: mcp::Servers,
    pub providers: providers::Providers,
    /// What earlier connections of the file showed of sessions.
    pub stories: Stories,
    /// The number of sessions whose turns are kept.
    told: usize,
    /// The last request of the client that sets a configuration option.
    pub option_set: Option<Anchor>,
}

impl Connection {
    pub fn new(settings: ConnectionSettings) -> Self {
        let mut connection = Self::default();
        connection.assume(settings);
        connection
    }

    /// Sets the settings. Call it before the first message.
    pub fn assume(&mut self, settings: ConnectionSettings) {
        self.head = settings.head;
        self.settings = settings;
        self.agree();
    }

    /// Messages applied so far; the number of the message that is being judged.
    pub fn number(&self) -> u64 {
        self.messages
    }

    /// The version that the connection is judged by: as pinned, negotiated, offered, or, when no
    /// `initialize` is on record, as the messages look.
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// The version that the connection is judged by; `None` while `initialize` waits for its answer,
    /// since the sides may differ until then.
    pub fn spoken_version(&self) -> Option<Version> {
        self.version.filter(|_| self.negotiation.phase() != Phase::Proposed)
    }

    /// The surface that the connection is judged by: the pinned one, else the stable surface of the
    /// version, drafts being judged wherever they are used.
    pub fn surface(&self) -> Option<Surface> {
        self.settings.surface.or_else(|| self.version().map(Surface::stable))
    }

    /// The surface that is pinned; `None` in `auto`.
    pub fn pinned_surface(&self) -> Option<Surface> {
        self.settings.surface
    }

    /// Whether the user asked for drafts, so that their use is not reported: by a surface with
    /// drafts, or by an edition that differs from its neighbours in the draft of plan operations
    /// alone.
    pub fn expects_drafts(&self) -> bool {
        self.settings.surface.map_or_else(
            || self.settings.edition.is_some_and(|edition| edition <= Edition::June2026),
            Surface::is_unstable,
        )
    }

    /// The edition that is pinned; `None` in `auto`.
    pub fn pinned_edition(&self) -> Option<Edition> {
        self.settings.edition
    }

    /// The edition that the connection is judged by.
    pub fn edition(&self) -> Edition {
        self.settings.edition.unwrap_or(Edition::CURRENT)
    }

    /// Whether arrays of messages are legal: on version 2 in the editions that had them, which have
    /// to be pinned.
    pub fn allows_batches(&self) -> bool {
        self.version() == Some(Version::V2) && self.edition() <= Edition::September2026
    }

    /// Gate H: whether the beginning of the connection is on record.
    pub fn head_is_complete(&self) -> bool {
        self.head == Some(true)
    }

    /// Whether something else than calls of the agent stands where the beginning of the connection
    /// should be.
    pub fn is_late(&self) -> bool {
        self.settings.head.is_none()
            && self.head == Some(false)
            && !self.negotiation.is_unprompted(self.messages - self.others)
    }

    /// Gate I: whether the `initialize` exchange is on record.
    pub fn is_initialized(&self) -> bool {
        self.negotiation.phase() == Phase::Agreed
    }

    /// Whether the connection has gone beyond `initialize`.
    pub fn is_in_use(&self) -> bool {
        self.negotiation.first_use.is_some() || self.head == Some(false)
    }

    /// Gate T: whether the end of the connection is on record: as the user says, else when every
    /// session is closed and every request answered. Never when the last line is cut off.
    pub fn tail_is_closed(&self) -> bool {
        let closed = || {
            !self.sessions.is_empty()
                && self.sessions.iter().all(|(_, session)| session.closed.is_some())
                && !self.rpc.is_waiting()
        };
        !self.is_cut && self.settings.tail.unwrap_or_else(closed)
    }

    /// Whether the recording holds the end of the connection, as the user says (`--tail`); `None` where
    /// the user leaves it to the recording.
    pub fn pinned_tail(&self) -> Option<bool> {
        self.settings.tail
    }

    /// The number of passages that could not be read, and of answers whose request is unknown. A
    /// rule that misses a message takes into account that one of these may have been it.
    pub fn lost(&self) -> u64 {
        self.lost + self.rpc.contests() as u64
    }

    /// The number of messages so far that a conforming reader may have refused as unreadable: they
    /// are no message, or have no usable id.
    pub fn unclear(&self) -> u64 {
        self.unclear
    }

    /// What the recorder has done to the messages.
    pub fn recording(&self) -> &RecordingTraits {
        &self.settings.recording
    }

    /// The last message of the recording, once it has ended.
    pub fn last_message(&self) -> Option<Anchor> {
        self.last
    }

    /// The last notification that `side` may have sent; the last of all when that is unknown.
    pub fn last_notification(&self, side: Option<Side>) -> Option<Anchor> {
        let [client, agent, unknown] = self.notified;
        let known = match side {
            Some(Side::Client) => [client, None],
            Some(Side::Agent) => [agent, None],
            None => [client, agent],
        };
        known.into_iter().chain([unknown]).flatten().max_by_key(|place| place.span().start)
    }

    /// Whether `side` has provably seen the peer's message with this number: it has answered that
    /// or a later one.
    pub fn has_seen(&self, side: Side, number: u64) -> bool {
        self.seen[side as usize] >= number
    }

    /// Seconds on the recorder's clock of the message before the one that is judged.
    pub fn previous_at(&self) -> Option<f64> {
        self.previous_at
    }

    /// Number of the side's last message; 0 when it has sent none.
    pub fn last_of(&self, side: Side) -> u64 {
        self.spoke[side as usize]
    }

    /// The session of this id, if any message has mentioned it.
    pub fn session(&self, id: Text<'_>) -> Option<&Session> {
        self.sessions.named(id)
    }

    /// The session of this id, if any message has mentioned it.
    pub fn session_named(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// All sessions, in the order of their first mention.
    pub fn sessions(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.iter()
    }

    /// The sessions that the agent named while one was being created, in the order of their first
    /// mention; none any more once nothing is being created.
    pub fn early_sessions(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.early()
    }

    /// The sessions that were unarchived, and not archived again, in the order of their first
    /// mention. Of hundreds, only the first ones.
    pub fn unarchived(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.unarchived().take(rpc::LOOKED_AT)
    }

    /// The subagents of a session that are at work, as the session reported last, in the order of
    /// their first mention. Of dozens, only the first ones.
    pub fn busy_subagents(&self, session_id: &str) -> impl Iterator<Item = (&str, &Session)> {
        const LOOKED_AT: usize = 32;
        self.sessions.busy_children(session_id).take(LOOKED_AT)
    }

    /// What the client advertised, while an `initialize` exchange is on record.
    pub fn client_capabilities(&self) -> Option<&Capabilities> {
        self.negotiation.client()
    }

    /// What the agent advertised, while an `initialize` exchange is on record.
    pub fn agent_capabilities(&self) -> Option<&Capabilities> {
        self.negotiation.agent()
    }

    /// Whether the recorder may have lost messages. A rule that misses a message then says nothing, where
    /// a line that a side has broken only makes it less sure.
    pub fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// Whether the connection goes through proxies, so that the author of a message is unknown.
    pub fn is_proxied(&self) -> bool {
        self.negotiation.proxied
    }

    /// How the entries of a snapshot differ from those that the client shows in the session; `None`
    /// when the snapshot is not an item plan.
    pub fn compare(
        &self,
        session_id: Text<'_>,
        snapshot: &plans::PlanSnapshot<'_>,
    ) -> Option<plans::Diff> {
        match self.session(session_id) {
            Some(session) => session.plans.compare(snapshot, session.turn.number),
            None => plans::Plans::default().compare(snapshot, 0),
        }
    }

    // Transitions. Each is total.

    /// Computes the version again, after something that may have changed it.
    fn agree(&mut self) {
        let pinned = self.settings.surface.map(Surface::version);
        self.version = pinned.or(self.negotiation.version()).or(self.settings.recording.apparent);
    }

    /// Notes that a passage could not be read.
    pub fn note_lost_passage(&mut self) {
        self.lost += 1;
    }

    /// Notes that the recorder may have lost messages here.
    pub fn note_gap(&mut self) {
        self.lost += 1;
        self.has_gaps = true;
    }

    /// Notes that the client sent requests that are not on record: they may have loaded sessions
    /// and begun turns.
    pub fn note_unrecorded_requests(&mut self) {
        self.sessions = sessions::Sessions::default();
    }

    /// Notes that the next message is spread over several lines: who reads line by line refuses each.
    pub fn note_split(&mut self) {
        self.is_split = true;
        self.unclear += 1;
    }

    /// The recording breaks off in the middle of a line.
    pub fn note_cut(&mut self) {
        self.is_cut = true;
    }

    /// Notes that a side sends nothing more. After both, the recording holds the end of the
    /// connection, unless the user says otherwise.
    pub fn end_side(&mut self, side: Side) {
        if *self.first_ended.get_or_insert(side) != side {
            self.settings.tail.get_or_insert(true);
        }
    }

    /// The side whose messages ended first; `None` where that is not on record.
    pub fn first_ended(&self) -> Option<Side> {
        self.first_ended
    }

    /// Notes that the recording has ended with this message.
    pub fn close(&mut self, last: Span) {
        self.last = Some(Anchor::at(last, Pointer::Whole));
    }

    /// Whether the first request may have this id: where the recording may have begun late, a
    /// high number or a random id cannot be known to open it.
    fn may_open(&self, id: Node<'_>) -> bool {
        let is_first = id.integer().is_none_or(|id| (0..2).contains(&id)) && !rpc::is_random(id);
        let extent = self.settings.recording.extent;
        is_first || matches!(extent, Extent::Whole | Extent::Complete)
    }

    /// Begins a message. Called before its rules run.
    pub fn begin(&mut self, message: &Message<'_>) {
        self.messages += 1;
        // What is not a message tells nothing of when the recording began.
        let is_message = message.envelope.method.is_some() || message.envelope.id.is_some();
        self.others += u64::from(!is_message);
        if self.head != Some(true) && is_message {
            self.find_head(message);
        }
    }

    /// Sets whether the beginning of the connection is on record, when this message shows it.
    fn find_head(&mut self, message: &Message<'_>) {
        if self.head.is_none() {
            let opens = message.envelope.method.is_some_and(|method| {
                method.is("initialize")
                    || method.is("proxy/initialize")
                    || (message.envelope.id.is_some_and(|id| self.may_open(id))
                        && methods::FIRST_WITHOUT_INITIALIZE
                            .iter()
                            .any(|opening| method.is(opening)))
            });
            self.head = Some(opens);
        } else if self.settings.head.is_none()
            && self.head == Some(false)
            && message.envelope.method.is_some_and(|method| method.is("initialize"))
            && message.recorded != Some(Side::Agent)
            && message.envelope.id.is_some()
        {
            // A client begins with it, whatever stands before it in the file.
            self.head = Some(true);
        }
    }

    /// Ends a message. Called after its rules have run.
    pub fn end(&mut self, message: &Message<'_>) {
        self.previous_at = message.at;
        self.is_split = false;
        if let Some(side) = message.sender {
            self.spoke[side as usize] = self.messages;
        }
    }

    /// Applies an array of messages. Its elements are applied after it, one by one.
    pub fn apply_batch(&mut self, array: &Message<'_>) {
        self.unclear += 1;
        self.batches.apply(array, self.messages);
    }

    /// Applies a message that is not an object, or neither call nor response.
    pub fn apply_malformed(&mut self, message: &Message<'_>) {
        self.unclear += 1;
        let envelope = &message.envelope;
        if envelope.method.is_none() && (envelope.result.is_some() || envelope.error.is_some()) {
            self.rpc.answered_unnamed = Some(self.messages);
        }
        if let Some(id) = message.envelope.id {
            self.rpc.fail(Id::of(id), Anchor::of(message.node, Pointer::Whole));
        }
    }

    pub fn apply_call(&mut self, call: &Call<'_>) {
        let is_marked = call.envelope.jsonrpc.is_some_and(|version| version.is("2.0"));
        let is_update = call.method == "session/update";
        let is_also_response = call.envelope.result.is_some() || call.envelope.error.is_some();
        self.unclear += u64::from(is_also_response || !is_marked);
        if call.id.is_none() {
            let slot = Side::index(call.sender);
            self.notified[slot] = Some(Anchor::of(call.node, Pointer::Whole));
        }
        self.negotiation.apply_call(call, self.messages);
        // Most calls are updates, which concern their session only.
        let method = || call.method.as_cow();
        if !is_update {
            self.note_call(&method(), call);
        }
        let version = self.version();
        if let Some(id) = call.session_id() {
            let (rpc, number) = (&self.rpc, self.messages);
            let new = || Session::new(first_mention(rpc, &method(), call), call, number);
            // An extension method's `sessionId` creates no session.
            let session = match call.method_status {
                MethodStatus::Extension => self.sessions.named_mut(id),
                _ => Some(self.sessions.entry(id, new).0),
            };
            if let Some(session) = session.filter(|_| !is_update) {
                session.apply_call(&method(), call, version, self.messages);
            }
            if !is_update {
                self.tell_call(&method(), call);
            }
        }
        if let Some(id) = call.id
            && call.method_status != MethodStatus::Unknown
        {
            self.ask(id, &method(), call, is_also_response);
        }
    }

    /// Applies a call, other than a session update, to everything but its session.
    fn note_call(&mut self, method: &str, call: &Call<'_>) {
        if method == "$/cancel_request"
            && let Some(id) = call.param("requestId")
        {
            let at = Anchor::of(call.node, Pointer::Whole);
            self.rpc.cancel(call.sender, &Id::of(id), at, self.messages);
        }
        if call.sender != Some(Side::Agent) && is_vague_cancellation(method, call) {
            self.vaguely_cancelled = self.messages;
        }
        if method == "session/set_config_option" {
            self.option_set = Some(Anchor::of(call.method.node(), Pointer::Method));
        }
        self.agree();
        self.elicitations.apply_call(method, call);
        self.mcp.apply_call(method, call);
        self.providers.apply_call(method, call, self.messages);
        self.authentication.apply_call(method, call);
    }

    /// Keeps a request that waits for its answer. `is_also_response`: the message is a response as
    /// well.
    fn ask(&mut self, id: Node<'_>, method: &str, call: &Call<'_>, is_also_response: bool) {
        let is_clear = id.is_string() || id.integer().is_some();
        self.unclear += u64::from(!is_clear);
        let settled = self.rpc.ask(Request {
            id: Id::of(id),
            sender: call.sender,
            at: Anchor::of(call.node, Pointer::Whole),
            id_at: Anchor::of(id, Pointer::Id),
            method_at: Anchor::of(call.method.node(), Pointer::Method),
            number: self.messages,
            time: call.at,
            session_id: call.session_id().map(|id| self.sessions.name(id)),
            defined: matches!(call.method_status, MethodStatus::Defined | MethodStatus::Draft),
            method_status: call.method_status,
            batch: call.batch.and_then(|_| self.batches.current()),
            flawed: !is_clear
                || self.is_split
                || call.kind == Some(CallKind::Notification)
                || is_also_response,
            cancelled: None,
            may_be_cancelled: false,
            facts: RequestFacts::of(method, call, self.spoken_version()),
            method: call.name(),
        });
        if let Some(settled) = settled {
            self.apply_settled(&settled);
        }
    }

    pub fn apply_answer(&mut self, answer: &Answer<'_>) {
        let request = answer.request;
        if let Some(side) = answer.sender {
            let seen = &mut self.seen[side as usize];
            *seen = (*seen).max(request.number);
        }
        if request.method_status == MethodStatus::Undefined {
            self.rpc.note_undefined(answer);
        }
        self.negotiation.apply_answer(answer, self.messages);
        self.agree();
        self.elicitations.apply_answer(answer);
        self.mcp.apply_answer(answer);
        self.providers.apply_answer(answer, self.messages);
        let version = self.version();
        self.authentication.apply_answer(answer, version, self.messages);
        self.session_lists.apply_answer(answer);
        self.tell_answer(answer);
        if let Some(session) = self.sessions.of(request) {
            session.apply_answer(answer, version, self.messages);
        }
        if methods::changes_archive(&request.method)
            && let Some(id) = &request.session_id
        {
            self.sessions.follow_archive(id);
        }
        if methods::creates_session(&request.method)
            && let Some(id) = answer.result().and_then(|result| result.get("sessionId")?.text())
        {
            let origin = if &*request.method == "session/new" {
                SessionOrigin::New
            } else {
                SessionOrigin::Forked
            };
            let born = Session::born(origin, id, answer, self.messages);
            match self.sessions.named_mut(id) {
                Some(session) => session.be_born(born),
                None => _ = self.sessions.entry(id, || born),
            }
            self.tell_fork(answer);
        }
        if methods::creates_session(&request.method)
            && !answer.ambiguous
            && !self.rpc.may_wait_for(Side::Client, methods::CREATE_SESSION)
        {
            self.sessions.settle_early();
        }
        if &*request.method == "session/list" {
            let listed = answer.result().and_then(|result| result.get("sessions"));
            for entry in listed.into_iter().flat_map(Node::elements) {
                if let Some(id) = entry.get("sessionId").and_then(Node::text) {
                    let new = || Session::listed(id, self.messages);
                    self.sessions.entry(id, new).0.be_listed(entry);
                }
            }
            self.tell_list(answer);
        }
        let at = Anchor::of(answer.node, Pointer::Whole);
        if let Some(batch) = request.batch {
            self.batches
                .answer(batch, answer.batch.map_or(at, |array| Anchor::of(array, Pointer::Whole)));
        }
        self.rpc.close(request, at);
    }

    /// Applies an answer that could belong to several open requests, since they have the same id: any of
    /// their sessions may have changed by it.
    pub fn apply_contested(&mut self, id: &Id) {
        for request in self.rpc.contested(id) {
            if let Some(session) = self.sessions.of(request) {
                session.apply_contested(&request.method);
            }
        }
    }

    /// Applies the discovery that an earlier answer belongs to this request. Its content was not
    /// applied then, so its effect is lost.
    pub fn apply_settled(&mut self, settled: &rpc::Settled) {
        let rpc::Settled { request, answer } = settled;
        if let Some(side) = request.sender.map(Side::peer) {
            let seen = &mut self.seen[side as usize];
            *seen = (*seen).max(request.number);
        }
        self.lost += u64::from(answer.is_error != Some(true));
        self.authentication.apply_settled(request);
        if let Some(session) = self.sessions.of(request) {
            session.apply_settled(request, answer);
        }
        if let Some(batch) = request.batch {
            self.batches.answer(batch, answer.at);
        }
        self.rpc.close(request, answer.at);
    }

    pub fn apply_update(&mut self, update: &Update<'_>) {
        let (version, number) = (self.version(), self.messages);
        if update.kind == "subagent_update" {
            self.note_children(update);
        }
        self.tell_update(update);
        if let Some(session) = self.sessions.named_mut(update.session_id) {
            session.apply_update(update, version, number);
        }
    }

    /// Takes over what an update says of sessions of subagents: each is known from then on, with its
    /// parent.
    fn note_children(&mut self, update: &Update<'_>) {
        for (name, value) in update.update.members() {
            if name.shown().ends_with("essionId")
                && let Some(id) = value.text()
            {
                let new = || Session::child(id, update, self.messages);
                self.sessions.entry(id, new).0.be_announced(update, self.messages);
                self.sessions.follow_kin(&id.as_cow());
            }
        }
    }

    pub fn apply_plan(&mut self, updated: &PlanUpdated<'_>) {
        self.plans.apply(&updated.snapshot);
        let version = self.version();
        if let Some(other_hops) = self.other_hops.as_mut().filter(|_| version == Some(Version::V2))
        {
            other_hops.apply(updated.session_id, &updated.snapshot);
        }
        if let Some(session) = self.sessions.named_mut(updated.session_id) {
            session.apply_plan(updated, version);
        }
    }

    pub fn apply_plan_removed(&mut self, removed: &PlanRemoved<'_>) {
        self.plans.apply_removed(removed);
        if let Some(session) = self.sessions.named_mut(removed.session_id) {
            session.apply_plan_removed(removed);
        }
    }
}

/// Whether a call is meant to cancel something, but does not name it as the protocol demands.
fn is_vague_cancellation(method: &str, call: &Call<'_>) -> bool {
    match method {
        "session/cancel" => call.session_id().is_none_or(Text::is_empty),
        "$/cancel_request" => !call
            .param("requestId")
            .is_some_and(|id| matches!(Id::of(id), Id::Number(_) | Id::Text(_))),
        _ => {
            call.method_status == MethodStatus::Undefined
                && method.to_ascii_lowercase().contains("cancel")
        }
    }
}

/// The origin of a session that a call names for the first time.
fn first_mention(rpc: &rpc::Correlator, method: &str, call: &Call<'_>) -> SessionOrigin {
    match method {
        "session/load" => SessionOrigin::Loaded,
        "session/resume" => SessionOrigin::Resumed,
        "session/update" | "session/request_permission" | "elicitation/create"
            if call.sender != Some(Side::Client)
                && rpc.may_wait_for(Side::Client, methods::CREATE_SESSION) =>
        {
            SessionOrigin::Early
        }
        _ => SessionOrigin::Assumed,
    }
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "connection after {} messages", self.messages)
    }
}
