//! One connection between a client and an agent: what is agreed, what waits, and its sessions.
//!
//! Each message is applied after its rules have run, so that rules see what its sender could know.

use std::fmt;

use crate::{
    event::{Call, CallKind, Message, MethodStatus, PlanRemoved, Update},
    json::{Node, Text},
    model::{
        anchor::Anchor,
        by_writer::CountsByWriter,
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

/// State of one connection between a client and an agent. Rules read its fields and methods; the
/// checker applies each message to it after the rules have run.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Connection {
    settings: ConnectionSettings,
    pub rpc: rpc::Correlator,
    pub negotiation: Negotiation,
    /// The protocol version by which messages are judged, computed by `agree`; `None` until a
    /// version is known.
    version: Option<Version>,
    sessions: sessions::Sessions,
    /// Number of messages of this connection so far. Lines that are not messages are not counted.
    messages: u64,
    /// Number of messages so far without `method` and `id`, which do not show whether the recording
    /// began with the connection.
    others: u64,
    head: Option<bool>,
    /// Whether the client has used the connection before the `initialize` that showed its beginning.
    head_follows_calls: bool,
    /// For each side (index 0 client, 1 agent): message number of the last request of the other
    /// side that this side has answered. It has read all messages up to that one.
    seen: [u64; 2],
    /// For each side (index 0 client, 1 agent): message number of its last message; 0 when it has
    /// sent none.
    spoke: [u64; 2],
    /// Time of the message before the current one, in seconds on the recorder's clock; `None`
    /// without a time.
    previous_at: Option<f64>,
    /// Passages so far that could not be read, gaps included, and answers whose effect was not
    /// applied, by who wrote them.
    lost: CountsByWriter,
    /// Whether messages may be missing because the recorder lost them, as after a gap in the
    /// transcript.
    has_gaps: bool,
    /// Whether the recording breaks off in the middle of a line, so that the connection's end is
    /// not on record.
    is_cut: bool,
    /// The sender whose messages ended first, and the side that ended them; `None` as long as the
    /// recording shows the end of neither sender.
    first_ended: Option<(Side, Side)>,
    /// Place of the recording's last message; `None` until the recording has ended.
    last: Option<Anchor>,
    /// Messages so far that a conforming reader may have refused as unreadable, by who wrote them;
    /// see `Connection::unclear_to`.
    unclear: CountsByWriter,
    /// Whether the next or current message is spread over several lines, which a reader that reads
    /// line by line refuses.
    is_split: bool,
    /// Message number of the client's last message that cancels something but does not name it as
    /// the protocol demands, such as `session/cancel` without a `sessionId`; 0 when there is none.
    pub vaguely_cancelled: u64,
    /// The last notification of the client (index 0), of the agent (1), and of an unknown
    /// sender (2).
    notified: [Option<Notification>; 3],
    pub batches: batches::Batches,
    pub plans: plans::Spellings,
    /// Number of plan updates that only the agent's word keeps from being a part of the plan.
    pub contested_plans: u64,
    /// Number of messages by which the agent reports the state `unknown` of a session whose state
    /// was known.
    pub unknown_states: u64,
    /// For a recording of several connections in a row (client, proxies, agent): the plans that the
    /// other connections carry on version 2, to compare how a proxy converts them. `None` for a
    /// recording of one connection.
    pub other_hops: Option<plans::OtherHops>,
    pub authentication: auth::Authentication,
    pub session_lists: session_lists::SessionLists,
    pub elicitations: elicitations::Elicitations,
    pub mcp: mcp::Servers,
    pub providers: providers::Providers,
    /// What earlier connections showed of the sessions, for rules on `session/load`: the turns that
    /// a replay has to repeat.
    pub stories: Stories,
    /// Number of sessions of this connection whose history is kept to compare replays, against the
    /// limit on memory.
    told: usize,
    /// Place of the method in the client's last `session/set_config_option`, so that a finding can
    /// point at it.
    pub option_set: Option<Anchor>,
    /// Whether the connection follows another one in the file, and its `initialize` may be of either
    /// side, as nothing but that message shows that it begins.
    pub may_be_no_other: bool,
}

/// A notification that a side has sent.
#[derive(Clone, Copy, Debug)]
pub struct Notification {
    pub at: Anchor,
    /// Whether no version of the protocol defines its method.
    pub is_undefined: bool,
}

impl Notification {
    fn of(call: &Call<'_>) -> Self {
        let is_undefined = matches!(
            call.method_status,
            MethodStatus::Extension | MethodStatus::Dollar | MethodStatus::Undefined
        );
        Self { at: Anchor::of(call.node, &""), is_undefined }
    }
}

impl Connection {
    pub fn new(settings: ConnectionSettings) -> Self {
        let mut connection = Self::default();
        connection.assume(settings);
        connection
    }

    /// Sets by what the connection is judged, in place of earlier settings. Call this before the
    /// first message.
    pub fn assume(&mut self, settings: ConnectionSettings) {
        self.head = settings.head;
        self.settings = settings;
        self.agree();
    }

    /// Number of the current message, the one that rules run on: messages of the connection are
    /// counted from 1. 0 before the first.
    pub fn number(&self) -> u64 {
        self.messages
    }

    /// The protocol version by which the messages are judged: the one that the user has chosen,
    /// else the negotiated or offered one, else the one that the messages look like. `None` while
    /// nothing shows it.
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// The version that both sides are known to speak: `Connection::version`, but `None` while
    /// `initialize` waits for its answer, since the sides may differ until then.
    pub fn spoken_version(&self) -> Option<Version> {
        self.version.filter(|_| self.negotiation.phase() != Phase::Proposed)
    }

    /// The surface (version, with or without drafts) by which messages are judged: the one that the
    /// user has chosen, else the stable surface of the version; `None` while unknown. Drafts are
    /// judged wherever they are used.
    pub fn surface(&self) -> Option<Surface> {
        self.settings.surface.or_else(|| self.version().map(Surface::stable))
    }

    /// The surface that the user has chosen with `--surface`; `None` when the messages decide.
    pub fn pinned_surface(&self) -> Option<Surface> {
        self.settings.surface
    }

    /// Whether the user asked for drafts, so that using them is not reported: by pinning a surface
    /// with drafts, or an edition up to June 2026.
    pub fn expects_drafts(&self) -> bool {
        self.settings.surface.map_or_else(
            || self.settings.edition.is_some_and(|edition| edition <= Edition::June2026),
            Surface::is_unstable,
        )
    }

    /// The edition of the schemas that the user has chosen with `--edition`; `None` when none is
    /// pinned.
    pub fn pinned_edition(&self) -> Option<Edition> {
        self.settings.edition
    }

    /// The edition of the schemas by which the connection is judged: the one that the user has
    /// chosen, else the current one.
    pub fn edition(&self) -> Edition {
        self.settings.edition.unwrap_or(Edition::CURRENT)
    }

    /// Whether JSON-RPC batches, arrays of messages, are legal: on version 2, in a pinned edition
    /// up to September 2026.
    pub fn allows_batches(&self) -> bool {
        self.version() == Some(Version::V2) && self.edition() <= Edition::September2026
    }

    /// Whether the beginning of the connection is on record, as the user says or the first messages
    /// show. Rules with `Gates::HEAD` report only then.
    pub fn head_is_complete(&self) -> bool {
        self.head == Some(true)
    }

    /// Whether calls of a client stand before the `initialize` that showed the beginning. Rules with
    /// `Gates::HEAD` did not report on them: they may belong to an earlier connection.
    pub fn head_follows_calls(&self) -> bool {
        self.head_follows_calls
    }

    /// Whether the recording begins late: the first messages are not an opening, and not only calls
    /// of the agent. Always `false` when the user says whether the beginning is on record.
    pub fn is_late(&self) -> bool {
        self.settings.head.is_none()
            && self.head == Some(false)
            && !self.negotiation.is_unprompted(self.messages - self.others)
    }

    /// Whether a successful `initialize` exchange is on record. Rules with `Gates::INITIALIZED`
    /// report only then.
    pub fn is_initialized(&self) -> bool {
        self.negotiation.phase() == Phase::Agreed
    }

    /// Whether the client has sent requests after `initialize`, or the recording begins after the
    /// opening.
    pub fn is_in_use(&self) -> bool {
        self.negotiation.first_use.is_some() || self.head == Some(false)
    }

    /// Whether the end of the connection is on record: as the user says, else when every session is
    /// closed and every request answered; never when the last line is cut off. Rules with
    /// `Gates::TAIL` report only then.
    pub fn tail_is_closed(&self) -> bool {
        let closed = || {
            !self.sessions.is_empty()
                && self.sessions.iter().all(|(_, session)| session.closed.is_some())
                && !self.rpc.is_waiting()
        };
        !self.is_cut && self.settings.tail.unwrap_or_else(closed)
    }

    /// Whether the recording holds the end of the connection, as the user says with `--tail`;
    /// `None` when the user leaves that to the recording.
    pub fn pinned_tail(&self) -> Option<bool> {
        self.settings.tail
    }

    /// Number of passages that could not be read, and of answers whose request or effect is
    /// unknown.
    pub fn lost(&self) -> u64 {
        self.lost_to(None)
    }

    /// The part of [`Self::lost`] that excuses `side`: without what it wrote itself. `None`: all of
    /// it. A rule about a missing message considers that one of these may have been that message.
    pub fn lost_to(&self, side: Option<Side>) -> u64 {
        self.lost.of_others(side) + self.rpc.contests() as u64
    }

    /// Number of messages so far that `side` may have refused as unreadable, such as those without
    /// `"jsonrpc":"2.0"` or without a usable id, and has not written itself. Rules on errors with
    /// the id null need it.
    pub fn unclear_to(&self, side: Option<Side>) -> u64 {
        self.unclear.of_others(side)
    }

    /// Number of calls so far that name a session which is not followed, since no message has set it up
    /// and there are thousands of such sessions.
    pub fn unfollowed(&self) -> u64 {
        self.sessions.unfollowed
    }

    /// What the recorder does to messages: members it drops or adds, words it masks, sides it
    /// leaves out.
    pub fn recording(&self) -> &RecordingTraits {
        &self.settings.recording
    }

    /// Place of the recording's last message, so that a finding can point at it; `None` until the
    /// recording has ended.
    pub fn last_message(&self) -> Option<Anchor> {
        self.last
    }

    /// The last notification that `side` has sent or may have sent; `None` for `side` means any
    /// sender.
    pub fn last_notification(&self, side: Option<Side>) -> Option<Notification> {
        let [client, agent, unknown] = self.notified;
        let known = match side {
            Some(Side::Client) => [client, None],
            Some(Side::Agent) => [agent, None],
            None => [client, agent],
        };
        known.into_iter().chain([unknown]).flatten().max_by_key(|it| it.at.span().start)
    }

    /// Whether `side` has certainly seen the peer's message with this number, because it has
    /// answered a request with this or a higher number.
    pub fn has_seen(&self, side: Side, number: u64) -> bool {
        self.seen[side as usize] >= number
    }

    /// Time of the message before the current one, in seconds on the recorder's clock; `None`
    /// without a time.
    pub fn previous_at(&self) -> Option<f64> {
        self.previous_at
    }

    /// Message number of the last message of `side`; 0 when it has sent none.
    pub fn last_of(&self, side: Side) -> u64 {
        self.spoke[side as usize]
    }

    /// The session with this id, given as a JSON string; `None` when no message has mentioned it.
    pub fn session(&self, id: Text<'_>) -> Option<&Session> {
        self.sessions.named(id)
    }

    /// The session with this id; `None` when no message has mentioned it.
    pub fn session_named(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// All sessions that messages have mentioned, each with its id, in the order of their first
    /// mention.
    pub fn sessions(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.iter()
    }

    /// Sessions that the agent named while `session/new` or `session/fork` waited for its answer,
    /// each with its id, in the order of their first mention. Empty once no such request waits.
    pub fn early_sessions(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.early()
    }

    /// Sessions that `session/unarchive` restored and that were not archived again, each with its
    /// id, in the order in which messages first named them; at most 256.
    pub fn unarchived(&self) -> impl Iterator<Item = (&str, &Session)> {
        self.sessions.unarchived().take(rpc::LOOKED_AT)
    }

    /// Subagents that are at work according to the last update of their parent session, each with
    /// its session id, in the order of their first mention; at most 32.
    pub fn busy_subagents(&self, session_id: &str) -> impl Iterator<Item = (&str, &Session)> {
        const LOOKED_AT: usize = 32;
        self.sessions.busy_children(session_id).take(LOOKED_AT)
    }

    /// What the client advertised in `initialize`; `None` when no `initialize` request is on
    /// record.
    pub fn client_capabilities(&self) -> Option<&Capabilities> {
        self.negotiation.client()
    }

    /// What the agent advertised in its answer to `initialize`; `None` while no successful answer
    /// is on record.
    pub fn agent_capabilities(&self) -> Option<&Capabilities> {
        self.negotiation.agent()
    }

    /// Whether messages may be missing because the recorder lost some. Rules about a missing
    /// message then do not report.
    pub fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// Whether the connection goes through proxies, shown by `proxy/*` messages, so that the author
    /// of a message is unknown.
    pub fn is_proxied(&self) -> bool {
        self.negotiation.proxied
    }

    /// Compares a plan that an update carries with the plan that the client shows in the session.
    /// `None` when the update has no plan with entries.
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

    /// Computes the version that `version` returns again, after a message or setting that may have
    /// changed it.
    fn agree(&mut self) {
        let pinned = self.settings.surface.map(Surface::version);
        self.version = pinned.or(self.negotiation.version()).or(self.settings.recording.apparent);
    }

    /// Notes that a passage of the transcript could not be read, so that a message may be missing.
    /// `writer` is the side at fault; `None` where it is unknown, or where no side is.
    pub fn note_lost_passage(&mut self, writer: Option<Side>) {
        self.lost.add(writer, 1);
    }

    /// Notes text that is not JSON but begins like an answer, such as two messages on one line. The
    /// request that it answers is not reported as unanswered.
    pub fn note_unread_answer(&mut self, writer: Option<Side>, text: &str) {
        self.rpc.answer_unread(writer, Id::within(text), self.messages + 1);
    }

    /// Notes a gap: the recorder may have lost messages at this point.
    pub fn note_gap(&mut self) {
        self.lost.add(None, 1);
        self.has_gaps = true;
    }

    /// Forgets all sessions, because the client sent requests that are not on record: these may
    /// have loaded sessions and begun turns.
    pub fn note_unrecorded_requests(&mut self) {
        self.sessions = sessions::Sessions::default();
    }

    /// Notes that the next message is spread over several lines. A reader that reads line by line
    /// refuses every part.
    pub fn note_split(&mut self, writer: Option<Side>) {
        self.is_split = true;
        self.unclear.add(writer, 1);
    }

    /// Notes that the recording breaks off in the middle of a line, so that the connection's end is
    /// not on record.
    pub fn note_cut(&mut self) {
        self.is_cut = true;
    }

    /// Notes that `sender` sends nothing more, because the side `left` ended that. After both
    /// senders, the end of the connection is on record, unless the user says otherwise.
    pub fn end_side(&mut self, sender: Side, left: Side) {
        if self.first_ended.get_or_insert((sender, left)).0 != sender {
            self.settings.tail.get_or_insert(true);
        }
    }

    /// The side that left first: it closed its output, or read no more; `None` when that is not on
    /// record.
    pub fn first_left(&self) -> Option<Side> {
        self.first_ended.map(|(_, left)| left)
    }

    /// The side that reads no more and left first, so that answers to it may have been lost; `None`
    /// when neither did, or that is not on record.
    pub fn first_deaf(&self) -> Option<Side> {
        self.first_ended.and_then(|(sender, left)| (sender != left).then_some(left))
    }

    /// Notes that the recording has ended. `last` is the place of its last message.
    pub fn close(&mut self, last: Span) {
        self.rpc.allot_unnamed();
        self.last = Some(Anchor::at(last, &""));
    }

    /// Whether a request with this id may be the connection's first. Where a recording may begin
    /// late, only 0, 1 and ids that are neither integers nor random, such as UUIDs, may.
    fn may_open(&self, id: Node<'_>) -> bool {
        let is_first = id.integer().is_none_or(|id| (0..2).contains(&id)) && !rpc::is_random(id);
        let extent = self.settings.recording.extent;
        is_first || matches!(extent, Extent::Whole | Extent::Complete)
    }

    /// Counts a message, and looks whether it shows the beginning of the connection. Call this
    /// before the message's rules run.
    pub fn begin(&mut self, message: &Message<'_>) {
        self.messages += 1;
        // What is not a message tells nothing of when the recording began.
        let is_message = message.envelope.method.is_some() || message.envelope.id.is_some();
        self.others += u64::from(!is_message);
        if self.head != Some(true) && is_message {
            self.find_head(message);
        }
    }

    /// Sets whether the beginning of the connection is on record: `true` when an opening request
    /// such as `initialize` comes first.
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
            self.head_follows_calls = self.negotiation.phase() == Phase::Skipped;
        }
    }

    /// Notes time and sender of a message for later ones. Call this after the message's rules have
    /// run.
    pub fn end(&mut self, message: &Message<'_>) {
        self.previous_at = message.at;
        self.is_split = false;
        if let Some(side) = message.sender {
            self.spoke[side as usize] = self.messages;
        }
    }

    /// Applies a JSON-RPC batch, an array of messages. The caller then applies each element like a
    /// message of its own.
    pub fn apply_batch(&mut self, array: &Message<'_>) {
        self.unclear.add(array.sender, 1);
        self.batches.apply(array, self.messages);
    }

    /// Applies a message that is neither a call nor a response, such as one that is not an object.
    pub fn apply_malformed(&mut self, message: &Message<'_>) {
        self.unclear.add(message.sender, 1);
        let envelope = &message.envelope;
        if envelope.method.is_none() && (envelope.result.is_some() || envelope.error.is_some()) {
            self.rpc.answer_unnamed(message.sender, self.messages);
        }
        if let Some(id) = message.envelope.id {
            self.rpc.fail(Id::of(id), message.sender);
        }
    }

    pub fn apply_call(&mut self, call: &Call<'_>) {
        let is_marked = call.envelope.jsonrpc.is_some_and(|version| version.is("2.0"));
        let is_update = call.method == "session/update";
        let is_also_response = call.envelope.result.is_some() || call.envelope.error.is_some();
        self.unclear.add(call.sender, u64::from(is_also_response || !is_marked));
        if call.id.is_none() {
            let slot = Side::index(call.sender);
            self.notified[slot] = Some(Notification::of(call));
        }
        let method = || call.method.as_cow();
        if call.is_misdirected {
            if let Some(id) = call.id {
                self.ask(id, "", call, is_also_response);
            }
            return;
        }
        self.negotiation.apply_call(call, self.messages);
        // Most calls are updates, which concern their session only.
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
                _ => self.sessions.mention(id, new),
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

    /// Applies a request or notification to the connection: negotiation, login, lists and so on.
    /// `session/update` and the parts of sessions are applied elsewhere.
    fn note_call(&mut self, method: &str, call: &Call<'_>) {
        if method == "$/cancel_request"
            && let Some(id) = call.param("requestId")
        {
            let at = Anchor::of(call.node, &"");
            self.rpc.cancel(call.sender, &Id::of(id), at, self.messages);
        }
        if call.sender != Some(Side::Agent) && is_vague_cancellation(method, call) {
            self.vaguely_cancelled = self.messages;
        }
        if method == "session/set_config_option" {
            self.option_set = Some(Anchor::of(call.method.node(), &"/method"));
        }
        self.agree();
        self.elicitations.apply_call(method, call);
        self.mcp.apply_call(method, call);
        self.providers.apply_call(method, call, self.messages);
        self.authentication.apply_call(method, call);
    }

    /// Keeps a request until its answer comes. `method` is empty where the sender cannot send it: the
    /// answer then means nothing. `is_also_response` says that the message has a `result` or `error`
    /// as well.
    fn ask(&mut self, id: Node<'_>, method: &str, call: &Call<'_>, is_also_response: bool) {
        let is_clear = id.is_string() || id.integer().is_some();
        self.unclear.add(call.sender, u64::from(!is_clear));
        let settled = self.rpc.ask(Request {
            id: Id::of(id),
            sender: call.sender,
            at: Anchor::of(call.node, &""),
            id_at: Anchor::of(id, &"/id"),
            method_at: Anchor::of(call.method.node(), &"/method"),
            number: self.messages,
            last_before: call.sender.map_or(0, |sender| self.last_of(sender)),
            time: call.at,
            session_id: call
                .session_id()
                .filter(|_| !call.is_misdirected)
                .map(|id| self.sessions.name(id)),
            defined: matches!(call.method_status, MethodStatus::Defined | MethodStatus::Draft),
            method_status: call.method_status,
            batch: call.batch.and_then(|_| self.batches.current()),
            flawed: !is_clear
                || call.is_misdirected
                || self.is_split
                || call.kind == Some(CallKind::Notification)
                || is_also_response,
            cancelled: None,
            may_be_cancelled: false,
            unnamed_answer: None,
            facts: RequestFacts::of(method, call, self.spoken_version()),
            method: if call.is_misdirected { "".into() } else { call.name() },
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
        let at = Anchor::of(answer.node, &"");
        if let Some(batch) = request.batch {
            self.batches.answer(batch, answer.batch.map_or(at, |array| Anchor::of(array, &"")));
        }
        self.rpc.close(request, at);
    }

    /// Applies an answer that could belong to several open requests, since they have the same id:
    /// the session of each may have changed.
    pub fn apply_contested(&mut self, id: &Id) {
        for request in self.rpc.contested(id) {
            if let Some(session) = self.sessions.of(request) {
                session.apply_contested(&request.method);
            }
        }
    }

    /// Notes that an earlier answer was for this request, as a later message has shown. The request
    /// counts as answered; what the answer said is not applied.
    pub fn apply_settled(&mut self, settled: &rpc::Settled) {
        let rpc::Settled { request, answer } = settled;
        if let Some(side) = request.sender.map(Side::peer) {
            let seen = &mut self.seen[side as usize];
            *seen = (*seen).max(request.number);
        }
        self.lost.add(None, u64::from(answer.is_error != Some(true)));
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
            self.unknown_states += u64::from(session.is_made_unknown_by(update));
            session.apply_update(update, version, number);
        }
    }

    /// Applies a `subagent_update` to the sessions of the subagents that it names: each is known
    /// from then on, with its parent.
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
        let is_contested = updated.diff.as_ref().is_some_and(|diff| diff.is_contested);
        self.contested_plans += u64::from(is_contested);
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

/// Whether a call is meant to cancel something, but does not name it as the protocol demands:
/// `session/cancel` without a session, `$/cancel_request` without an id, or an undefined method
/// whose name contains "cancel".
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

/// How a session came to be known: by the first message that names it, which is this request or
/// notification.
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
