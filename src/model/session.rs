//! One session: where it came from, whether it is open, and the turn it is in.

use crate::{
    event::{Answer, Call, PlanRemoved, PlanUpdated, Update},
    json::{Node, Text},
    model::{
        Facts, Place, Request,
        attachment::{Attachment, Inserted, is_history},
        command::Commands,
        compaction::Compactions,
        config::Configuration,
        display::Displays,
        facts::Home,
        foreground::{Activity, Cancelled, Foreground},
        life::Life,
        message::{Utterances, Voice},
        notice::Notices,
        permission::{Denial, Refusal},
        plan::Plans,
        rpc::Contested,
        subagent::Kinship,
        terminal::Terminals,
        tool_call::ToolCalls,
        work::Work,
    },
    protocol::{Side, Version},
};

/// Where a session came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `session/new` on this connection.
    New,
    /// `session/load`: it has a past that no message here explains.
    Loaded,
    /// `session/resume`.
    Resumed,
    /// `session/fork`: it has its parent's past.
    Forked,
    /// Announced as another session's child.
    Child,
    /// Named by an answer to `session/list`.
    Listed,
    /// Named by the agent while a `session/new` was open: probably the session it creates.
    Early,
    /// Named by a message before anything told where it came from.
    Assumed,
}

/// A session, from its first mention to the end of the connection.
#[derive(Clone, Debug)]
pub struct Session {
    pub origin: Origin,
    /// The first mention of its id: the `sessionId` value.
    pub first: Place,
    /// Number of the message of the first mention.
    pub first_number: u64,
    /// Who mentioned it first.
    pub first_sender: Option<Side>,
    /// The result that created it: its `sessionId`.
    pub born: Option<Place>,
    /// Whether it was loaded, resumed or forked after its birth.
    pub reattached: bool,
    /// The request that replays its history, until that is answered.
    pub replay: Option<Place>,
    /// The answer that confirmed `session/close`.
    pub closed: Option<Place>,
    /// Where it works, by the request that created or attached it.
    pub roots: Option<Roots>,
    pub turn: Turn,
    pub plans: Plans,
    pub config: Configuration,
    pub commands: Commands,
    pub work: Work,
    /// Whether the replay under way was asked for: by `session/load`, or with `replayFrom`.
    pub wants_history: bool,
    /// The `session/cancel` of work that has not ended.
    pub cancelled: Option<Cancelled>,
    /// Prompts without an answer.
    pub open_prompts: u32,
    pub foreground: Foreground,
    pub tool_calls: ToolCalls,
    pub terminals: Terminals,
    pub displays: Displays,
    pub compactions: Compactions,
    pub utterances: Utterances,
    pub notices: Notices,
    pub life: Life,
    /// How it was attached last.
    pub attachment: Option<Box<Attachment>>,
    /// The prompts that became messages, on version 2.
    pub inserted: Vec<Inserted>,
    /// What its parent says of it.
    pub kinship: Option<Box<Kinship>>,
}

/// The directories of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The `cwd` that names the first one.
    pub at: Place,
    /// The working directory, then the additional ones.
    pub directories: Vec<Box<str>>,
}

impl Roots {
    /// The directories that a request names; `None` without a working directory.
    pub(super) fn of(call: &Call<'_>) -> Option<Self> {
        let cwd = call.param("cwd")?;
        let additional = call.param("additionalDirectories");
        let additional = additional.into_iter().flat_map(Node::elements).filter_map(Node::text);
        let directories = cwd.text().into_iter().chain(additional).map(Text::to_boxed).collect();
        Some(Self { at: Place::of(cwd, "/params/cwd"), directories })
    }
}

/// The exchange around one prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// 0 before the first prompt. For plans: version 1 counts prompts, version 2 user messages and
    /// idle states.
    pub number: u32,
    /// The prompt that began it.
    pub began: Option<Place>,
    /// Tool calls that reached a final status in it.
    pub finished_tools: u32,
}

impl Session {
    /// A session that `call` mentions for the first time.
    pub(super) fn new(origin: Origin, call: &Call<'_>, number: u64) -> Self {
        let at = call.param("sessionId").unwrap_or(call.node);
        Self::seen(origin, Place::of(at, "/params/sessionId"), call.sender, number)
    }

    /// A session that the answer creates.
    pub(super) fn born(origin: Origin, id: Text<'_>, answer: &Answer<'_>, number: u64) -> Self {
        let at = Place::of(id.node(), "/result/sessionId");
        let roots = match &answer.request.facts {
            Facts::Creation { roots, .. } => roots.clone(),
            _ => None,
        };
        let mut session =
            Self { born: Some(at), roots, ..Self::seen(origin, at, answer.sender, number) };
        session.config.apply_answer(answer, number);
        session.commands.apply_answer(answer, number);
        if let (Facts::Creation { home, .. }, Some(result)) =
            (&answer.request.facts, answer.result())
        {
            session.life.begin(home.as_ref(), result);
        }
        session
    }

    pub(super) fn listed(id: Text<'_>, number: u64) -> Self {
        Self::seen(
            Origin::Listed,
            Place::of(id.node(), "/result/sessions"),
            Some(Side::Agent),
            number,
        )
    }

    pub(super) fn child(id: Text<'_>, update: &Update<'_>, number: u64) -> Self {
        Self::seen(Origin::Child, Place::of(id.node(), "/params/update"), update.sender, number)
    }

    fn seen(origin: Origin, first: Place, first_sender: Option<Side>, first_number: u64) -> Self {
        Self {
            origin,
            first,
            first_number,
            first_sender,
            born: None,
            reattached: false,
            replay: None,
            closed: None,
            roots: None,
            turn: Turn::default(),
            plans: Plans::default(),
            config: Configuration::default(),
            commands: Commands::default(),
            work: Work::default(),
            wants_history: false,
            cancelled: None,
            open_prompts: 0,
            foreground: Foreground::default(),
            tool_calls: ToolCalls::default(),
            terminals: Terminals::default(),
            displays: Displays::default(),
            compactions: Compactions::default(),
            utterances: Utterances::default(),
            notices: Notices::default(),
            life: Life::default(),
            attachment: None,
            inserted: Vec::new(),
            kinship: None,
        }
    }

    /// Gate O: the session's birth is on record, and it was not loaded, resumed or forked since.
    pub fn is_fully_recorded(&self) -> bool {
        self.born.is_some() && self.origin == Origin::New && !self.reattached
    }

    /// Whether its history is being replayed: state is rebuilt, not advanced.
    pub fn is_replaying(&self) -> bool {
        self.replay.is_some()
    }

    /// Whether the client has it in use: created or attached here, and not closed since.
    pub fn is_attached(&self) -> bool {
        let is_set_up =
            matches!(self.origin, Origin::New | Origin::Loaded | Origin::Resumed | Origin::Forked);
        is_set_up && self.closed.is_none()
    }

    /// A listing tells of it.
    pub(super) fn be_listed(&mut self, entry: Node<'_>) {
        let cwd = entry.get("cwd").filter(|cwd| cwd.is_string());
        if self.life.home.is_none()
            && let Some(path) = cwd.and_then(Node::text)
        {
            let at = Place::of(path.node(), "/result/sessions");
            self.life.home = Some(Home { path: path.to_boxed(), at });
        }
    }

    /// Its parent announces it.
    pub(super) fn be_announced(&mut self, update: &Update<'_>, number: u64) {
        if matches!(self.origin, Origin::Early | Origin::Assumed | Origin::Listed) {
            self.origin = Origin::Child;
        }
        let kinship = self.kinship.get_or_insert_with(|| Box::new(Kinship::by(update)));
        kinship.apply(update, number);
    }

    /// The result that creates a session arrives after its first mention.
    pub(super) fn be_born(&mut self, born: &Self) {
        if matches!(self.origin, Origin::Early | Origin::Assumed | Origin::Listed | Origin::Child) {
            self.origin = born.origin;
        }
        self.born = self.born.or(born.born);
        self.roots = self.roots.take().or_else(|| born.roots.clone());
        self.life.deleted = None;
        self.life.home = born.life.home.clone().or(self.life.home.take());
        self.life.modes = born.life.modes.clone().or(self.life.modes.take());
        if born.config.last().is_some() {
            self.config = born.config.clone();
        }
        if born.commands.last().is_some() {
            self.commands = born.commands.clone();
        }
    }

    pub(super) fn apply_call(
        &mut self,
        method: &str,
        call: &Call<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        self.attach(method, call, number);
        self.work.apply_call(method, call, &self.foreground, number);
        self.note_call(method, call, number);
        match method {
            "session/load" | "session/resume" | "session/fork" if call.id.is_some() => {
                if self.origin == Origin::New || method == "session/fork" {
                    self.reattached |= method != "session/fork";
                }
                if method != "session/fork" {
                    self.replay = Some(Place::of(call.node, ""));
                    let replays = |from: Node<'_>| !from.is_null();
                    let is_replay =
                        method == "session/load" || call.param("replayFrom").is_some_and(replays);
                    self.plans.forget(is_replay);
                    self.config = Configuration::default();
                    self.commands = Commands::default();
                    self.roots = Roots::of(call);
                }
            }
            "session/prompt" if version != Some(Version::V2) => self.begin_turn(call.node),
            _ => {}
        }
    }

    pub(super) fn apply_answer(
        &mut self,
        answer: &Answer<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        self.work.apply_answer(answer, self.open_prompts, version, number);
        self.note_answer(answer);
        self.settle(answer, number);
        if &*answer.request.method != "session/fork" {
            self.config.apply_answer(answer, number);
            self.commands.apply_answer(answer, number);
        }
        match &*answer.request.method {
            "session/load" | "session/resume" => {
                self.replay = None;
                self.begin_turn(answer.node);
                if answer.result().is_some() {
                    self.closed = None;
                }
            }
            "session/close" if answer.result().is_some() => {
                self.closed = Some(Place::of(answer.node, ""));
            }
            _ => {}
        }
    }

    /// It turns out that a request has been answered, in whatever way.
    pub(super) fn apply_settled(&mut self, request: &Request, answer: &Contested) {
        match (&*request.method, &request.facts) {
            ("session/prompt", _) => self.end_prompt(),
            ("session/load" | "session/resume", _) => self.replay = None,
            (_, Facts::Permission(_) | Facts::Question(_)) => {
                self.work.settle(answer.at, answer.number);
            }
            _ => {}
        }
    }

    /// A prompt has been answered.
    fn end_prompt(&mut self) {
        self.open_prompts = self.open_prompts.saturating_sub(1);
        if self.open_prompts == 0 {
            self.cancelled = None;
        }
    }

    pub(super) fn apply_update(
        &mut self,
        update: &Update<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let kind = update.kind.as_cow();
        self.follow(&kind, update);
        self.config.apply_update(update, number);
        self.commands.apply_update(&kind, update, number);
        self.work.apply_update(&kind, update, &self.foreground, &self.utterances, number);
        self.note_update(&kind, update, version, number);
        match &*kind {
            "user_message" => self.begin_turn(update.node),
            "state_update" if update.update.get("state").is_some_and(|state| state.is("idle")) => {
                self.begin_turn(update.node);
            }
            "tool_call" | "tool_call_update" => {
                let is_final = update.update.get("status").is_some_and(|status| {
                    status.is("completed") || status.is("failed") || status.is("cancelled")
                });
                self.turn.finished_tools += u32::from(is_final);
            }
            _ => {}
        }
    }

    /// A call that concerns whether and how the session is attached.
    fn attach(&mut self, method: &str, call: &Call<'_>, number: u64) {
        self.life.apply_call(method, call, number);
        match method {
            "session/load" | "session/resume" if call.id.is_some() => {
                let is_open = self.closed.is_none();
                let is_live = is_open && (self.foreground.is_active() || self.open_prompts > 0);
                self.attachment = Some(Box::new(Attachment::by(call, number, is_live)));
            }
            "session/prompt" => {
                if let Some(attachment) = &mut self.attachment {
                    attachment.work();
                }
            }
            _ => {}
        }
    }

    /// An answer that concerns whether and how the session is attached.
    fn settle(&mut self, answer: &Answer<'_>, number: u64) {
        let is_attached = self.is_attached();
        self.life.apply_answer(answer, is_attached, number);
        let Some(result) = answer.result() else { return };
        match (&*answer.request.method, &answer.request.facts) {
            ("session/load" | "session/resume", _) => {
                if matches!(self.origin, Origin::Early | Origin::Assumed | Origin::Listed) {
                    let is_load = &*answer.request.method == "session/load";
                    self.origin = if is_load { Origin::Loaded } else { Origin::Resumed };
                }
                if let Some(attachment) = &mut self.attachment {
                    attachment.answer = Some(Place::of(answer.node, ""));
                    attachment.spoken = self.life.spoken;
                }
            }
            (_, Facts::Prompt(prompt)) => {
                if let Some(id) = result.get("messageId").and_then(Node::text) {
                    self.inserted.push(Inserted {
                        id: id.to_boxed(),
                        content: prompt.content(),
                        at: Place::of(id.node(), "/result/messageId"),
                    });
                }
            }
            _ => {}
        }
    }

    /// An update that may be part of a replay; called before it is noted.
    fn follow(&mut self, kind: &str, update: &Update<'_>) {
        self.life.apply_update(kind, update);
        if self.is_replaying() {
            if let Some(attachment) = &mut self.attachment {
                attachment.apply(kind, update);
            }
            return;
        }
        if is_history(kind) && Voice::of(kind) != Some(Voice::User) {
            self.life.speak(update);
        }
        if let Some(attachment) = self.attachment.as_mut().filter(|found| found.answer.is_some()) {
            let id = update.update.get("messageId").and_then(Node::text);
            let is_new = id.is_some_and(|id| self.utterances.get(Voice::User, id).is_none());
            attachment.follow(kind, update, is_new);
        }
    }

    /// A call that concerns what happens in the session.
    fn note_call(&mut self, method: &str, call: &Call<'_>, number: u64) {
        match method {
            "session/load" | "session/resume" if call.id.is_some() => {
                let from = call.param("replayFrom");
                self.wants_history =
                    method == "session/load" || from.is_some_and(|from| !from.is_null());
                self.foreground.attach();
                self.work.attach();
                self.tool_calls.age();
                self.compactions.age();
            }
            "session/prompt" if call.id.is_some() => {
                self.open_prompts += 1;
                self.cancelled = None;
            }
            "session/cancel" if self.open_prompts > 0 || self.foreground.is_active() => {
                self.cancelled = Some(Cancelled::by(call, number));
            }
            "session/request_permission" => {
                self.tool_calls.apply_request(call, number);
                self.displays.apply_request(call);
                if let Some(report) = call.param("toolCall") {
                    self.terminals.apply_report(report);
                }
            }
            "elicitation/create" => self.tool_calls.apply_question(call, number),
            method if method.starts_with("terminal/") => self.terminals.apply_call(method, call),
            _ => {}
        }
    }

    /// An answer that concerns what happens in the session.
    fn note_answer(&mut self, answer: &Answer<'_>) {
        let at = Place::of(answer.node, "");
        match &answer.request.facts {
            Facts::Permission(ask) => {
                let denied = Refusal::of(answer, ask).map(|why| Denial {
                    why,
                    request: answer.request.at,
                    answer: at,
                    was_running: false,
                });
                if let Some(id) = &ask.tool_call {
                    self.tool_calls.decide(id, denied);
                }
                if let Some(id) = &ask.terminal {
                    self.displays.decide(id, denied);
                }
            }
            Facts::CancelOne { id } if answer.result().is_some() => match &*answer.request.method {
                "tool_call/cancel" => self.tool_calls.accept_cancellation(id, at),
                _ => self.displays.accept_cancellation(id, at),
            },
            _ if &*answer.request.method == "session/prompt" => self.end_prompt(),
            _ => self.terminals.apply_answer(answer),
        }
    }

    /// An update of what happens in the session.
    fn note_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        match kind {
            // Version 2 has no such update: its clients show nothing for one.
            "tool_call" if version == Some(Version::V2) => {}
            "tool_call" | "tool_call_update" | "tool_call_content_chunk" => {
                self.tool_calls.apply_update(kind, update, version, number);
                match version {
                    Some(Version::V2) => self.displays.apply_report(update.update),
                    _ => self.terminals.apply_report(update.update),
                }
            }
            "terminal_update" | "terminal_output_chunk" => {
                self.displays.apply_update(kind, update, number);
            }
            "compaction_update" | "compaction_summary_chunk" => self.compactions.apply(update),
            "notice" => self.notices.apply(update),
            "state_update" => {
                self.foreground.apply(update, number);
                if self.foreground.activity == Activity::Idle {
                    self.cancelled = None;
                }
            }
            _ => self.utterances.apply(kind, update, number),
        }
    }

    pub(super) fn apply_plan(&mut self, updated: &PlanUpdated<'_>, version: Option<Version>) {
        self.plans.apply(updated, self.turn.number, self.is_replaying(), version);
    }

    pub(super) fn apply_plan_removed(&mut self, removed: &PlanRemoved<'_>) {
        self.plans.remove(removed);
    }

    fn begin_turn(&mut self, message: Node<'_>) {
        if !self.is_replaying() {
            self.plans.begin_turn();
        }
        self.turn = Turn {
            number: self.turn.number + 1,
            began: Some(Place::of(message, "")),
            finished_tools: 0,
        };
    }
}
