//! One session: where it came from, whether it is open, and the turn it is in. In go the calls,
//! answers and updates that name the session; rules read the fields.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use crate::{
    event::{
        Call, PlanRemoved, Update,
        target::{self, ToolKind},
    },
    json::{Node, Text},
    map::Map,
    model::{
        anchor::Anchor,
        request::{
            Request,
            facts::{FirstInstructions, Home, RequestFacts},
            roots::Roots,
            setting::ConfigValue,
        },
        response::{Answer, Contested},
        session::{
            activity::{Activity, AgentState, PendingCancel},
            agent_terminals::AgentTerminals,
            attachment::{Attachment, Inserted},
            authority::{Authority, CallAuthority, ChangedBy, Deed, DeedKind},
            commands::Commands,
            compactions::Compactions,
            config::Configuration,
            cursors::Cursors,
            info::{RefusedChange, SessionInfo},
            messages::KnownMessages,
            notices::Notices,
            on_demand::OnDemand,
            plans::{Plans, task_lists::task_list, updated::PlanUpdated},
            subagents::Parent,
            terminals::Terminals,
            tool_calls::{ToolCallStatus, ToolCalls},
            work::{Before, Work},
        },
        story::Items,
    },
    protocol::{Side, Version, methods},
};

pub mod activity;
pub mod agent_terminals;
pub mod announced;
mod attach_request;
pub mod attachment;
pub mod authority;
pub mod cancellation;
pub mod commands;
pub mod compactions;
pub mod config;
mod creation;
pub mod cursors;
pub mod info;
pub mod messages;
pub mod notices;
pub mod on_demand;
pub mod permissions;
pub mod plans;
mod session_events;
pub mod subagents;
pub mod terminals;
pub mod tool_calls;
pub mod work;

/// How a session came to be known on a connection. Rules expect less of a session whose past is not
/// on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOrigin {
    /// Created by `session/new` on this connection, so that its whole life is on record.
    New,
    /// Attached by `session/load`: its past is not on record, unless a replay shows it.
    Loaded,
    /// Attached by `session/resume`: its past is not on record.
    Resumed,
    /// Created by `session/fork`: it begins with the conversation of its source.
    Forked,
    /// A subagent's session, announced by the `subagent_update` of another session.
    Child,
    /// The session is known only as an entry in an answer to `session/list`.
    Listed,
    /// Named by the agent while a `session/new` or `session/fork` waited for its answer: probably
    /// the session that is being created.
    Early,
    /// The session was named by some message, and no message shows how it was created.
    Assumed,
}

/// What is known of one session, from its first mention to the end of the connection. Rules read
/// its fields, and those of `Course` through it.
#[derive(Clone, Debug)]
pub struct Session {
    pub origin: SessionOrigin,
    /// The side that mentioned the session first; `None` when the sender is unknown.
    pub first_sender: Option<Side>,
    /// Place of the session's id where a message mentions it first, so that a finding can point at
    /// it.
    pub first: Anchor,
    /// Message number of the message that first named the session, counted from 1 in the
    /// connection.
    pub first_number: u64,
    /// The session's working directory, as the request that created or attached it names it, or
    /// else a list of sessions; `None` when no message names it.
    pub home: Option<Home>,
    /// What is known of the session beyond its first mention. Allocated on demand, since an answer
    /// may list a million sessions that no other message names.
    course: OnDemand<Course>,
}

/// What is known of a session beyond an entry in a list: its turns, plans, tool calls and so on.
/// Rarely used parts are allocated on demand.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Place of the `sessionId` in the result that created the session; `None` when its creation is
    /// not on record.
    pub born: Option<Anchor>,
    /// The system prompt that the session was created with; `None` when that is not known.
    pub instructions: Option<FirstInstructions>,
    /// Whether the session was loaded or resumed after it was created on this connection.
    pub reattached: bool,
    /// Place of the `session/load` or `session/resume` that waits for its answer, so that updates
    /// replay the history; `None` when there is none.
    pub replay: Option<Anchor>,
    /// Number of `session/load` and `session/resume` requests that wait for their answer.
    pub replays: u8,
    /// Place of the answer that confirmed `session/close`; `None` while the session is open.
    pub closed: Option<Anchor>,
    /// Whether the client closed the session by archiving it, or may have closed it by a request
    /// whose answer could be for another one.
    pub shelved: bool,
    /// The session's working directory and additional directories, as the request that created or
    /// attached it names them; `None` when they are unknown.
    pub roots: Option<Arc<Roots>>,
    pub turn: Turn,
    pub plans: OnDemand<Plans>,
    pub config: Configuration,
    pub commands: Commands,
    pub work: OnDemand<Work>,
    /// Whether the last request that attached the session asks for its history: `session/load`, or
    /// `session/resume` with `replayFrom`.
    pub wants_history: bool,
    /// The last `session/cancel`, until the work that it stops has ended; `None` when no work is
    /// being cancelled.
    pub cancelled: Option<PendingCancel>,
    /// Number of `session/prompt` requests that wait for their answer.
    pub open_prompts: u32,
    pub activity: OnDemand<Activity>,
    pub tool_calls: OnDemand<ToolCalls>,
    pub authority: OnDemand<Authority>,
    pub terminals: OnDemand<Terminals>,
    pub agent_terminals: OnDemand<AgentTerminals>,
    pub compactions: OnDemand<Compactions>,
    pub messages: OnDemand<KnownMessages>,
    pub notices: OnDemand<Notices>,
    /// Place of the session's first message of the agent, or tool call, that is not part of a
    /// replay; `None` when there is none.
    pub spoken: Option<Anchor>,
    pub info: OnDemand<SessionInfo>,
    /// How the session was last loaded or resumed, and what was replayed then; `None` when it never
    /// was, or when that is uncertain.
    pub attachment: Option<Box<Attachment>>,
    /// Version 2: the user messages that accepted prompts became, by the digest of the prompt's
    /// content. `None` as a value when two prompts have the same content.
    pub inserted: Map<u64, Option<Inserted>>,
    /// What the parent session reports of this one; `None` when this is not a subagent's session.
    pub parent: Option<Box<Parent>>,
    /// The history of the session for comparing later replays; `None` when nothing is kept.
    pub story: Option<Box<Items>>,
}

on_demand::empty!(Course);

impl Deref for Session {
    type Target = Course;

    fn deref(&self) -> &Course {
        &self.course
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Course {
        &mut self.course
    }
}

/// One turn of a session. On version 1 it begins with a prompt, on version 2 with a user message or
/// an idle state; the answer that attaches a session begins one as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Number of the turn in its session, counted from 1; 0 before the first turn.
    pub number: u32,
    /// Place of the message that began the turn; `None` before the first turn.
    pub began: Option<Anchor>,
    /// Number of updates in the turn that gave a tool call a final status.
    pub finished_tools: u32,
}

impl Session {
    /// A session of which only its first mention is known: that message's place, sender and number.
    fn seen(
        origin: SessionOrigin,
        first: Anchor,
        first_sender: Option<Side>,
        first_number: u64,
    ) -> Self {
        Self { origin, first_sender, first, first_number, home: None, course: OnDemand::default() }
    }

    /// Whether the whole session is on record: it was created by `session/new`, and neither loaded
    /// nor resumed since. Rules with `Gates::ORIGIN` report only then.
    pub fn is_fully_recorded(&self) -> bool {
        self.born.is_some() && self.origin == SessionOrigin::New && !self.reattached
    }

    /// Whether the session of version 2 is idle: last reported so, or created and never reported
    /// otherwise.
    pub fn is_idle(&self) -> bool {
        match self.activity.state {
            AgentState::Idle => true,
            AgentState::Unset => self.is_fully_recorded(),
            AgentState::Running | AgentState::RequiresAction | AgentState::Other => false,
        }
    }

    /// Whether a `state_update` reports the state `unknown`, though the state was known until then.
    pub(super) fn is_made_unknown_by(&self, update: &Update<'_>) -> bool {
        let is_known = self.is_idle() || self.activity.is_active();
        let is_unknown = || update.update.get("state").is_some_and(|state| state.is("unknown"));
        is_known && update.kind == *"state_update" && is_unknown()
    }

    /// Whether the session's history is being replayed, so that updates repeat what was, and report
    /// nothing new.
    pub fn is_replaying(&self) -> bool {
        self.replay.is_some()
    }

    /// Whether the client has the session in use: created or attached on this connection, and not
    /// closed since.
    pub fn is_attached(&self) -> bool {
        let is_set_up = matches!(
            self.origin,
            SessionOrigin::New
                | SessionOrigin::Loaded
                | SessionOrigin::Resumed
                | SessionOrigin::Forked
        );
        is_set_up && self.closed.is_none() && !self.shelved
    }

    /// Whether the connection did not have the session in use before this request attached it. What comes
    /// while a session in use is attached again may be about its work.
    pub fn was_closed_before(&self, attachment: &Attachment) -> bool {
        self.closed.is_some()
            || self.shelved
            || self.first_number == attachment.number
            || matches!(self.origin, SessionOrigin::Listed | SessionOrigin::Assumed)
    }

    pub(super) fn apply_call(
        &mut self,
        method: &str,
        call: &Call<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        self.attach(method, call, number);
        let course = &mut *self.course;
        course.work.apply_call(method, call, &course.activity, number);
        self.note_call(method, call, number);
        self.note_authority(method, call, version, number);
        match method {
            _ if methods::attaches_session(method) && call.id.is_some() => {
                self.reattached |= self.origin == SessionOrigin::New;
                self.replay = Some(Anchor::of(call.node, &""));
                self.replays = self.replays.saturating_add(1);
                let course = &mut *self.course;
                course.plans.forget(course.wants_history);
                self.info.if_made(|info| info.cursors = Cursors::default());
                self.config = Configuration::default();
                self.commands = Commands::default();
                self.roots = Roots::of(call).map(Arc::new);
            }
            "session/prompt" => {
                self.note_command(call.param("prompt"), true);
                if version != Some(Version::V2) {
                    self.begin_turn(call.node);
                }
            }
            _ => {}
        }
    }

    /// Notes a message of the user whose first text begins with a slash, such as `/clear`: the
    /// command may end the plans. `is_ordered`: the client sends it, and not the agent.
    fn note_command(&mut self, blocks: Option<Node<'_>>, is_ordered: bool) {
        let texts = || {
            blocks
                .into_iter()
                .flat_map(Node::elements)
                .filter_map(|block| block.get("text")?.text())
        };
        let begins = |text: Text<'_>| text.read(|text| text.trim_start().starts_with('/'));
        let turn = self.turn.number;
        self.plans.if_made(|plans| {
            if texts().next().is_some_and(begins) {
                plans.renew(turn, is_ordered);
            }
        });
    }

    /// Notes a task list in the input of a tool call, and the end of such a call. Tools that read, search
    /// or fetch keep no list.
    fn note_tasks(&mut self, update: &Update<'_>) {
        let Some(id) = update.tool_call_id.filter(|_| !self.is_replaying()) else { return };
        if let Some(input) = update.update.get("rawInput") {
            let list = task_list(input);
            if list.is_some() {
                self.plans.tasks.list(id, list);
            } else {
                self.plans.if_made(|plans| plans.tasks.list(id, None));
            }
        }
        let status = update.status.and_then(Node::text).map(ToolCallStatus::of);
        if let Some(status) = status.filter(|status| status.is_final()) {
            let own = self.authority.call(id);
            let keeps_lists = own.is_some_and(|own| own.kind.is_none_or(ToolKind::may_keep_lists));
            let status = if keeps_lists { status } else { ToolCallStatus::Failed };
            self.plans.if_made(|plans| plans.tasks.end(id, status));
        }
    }

    pub(super) fn apply_answer(
        &mut self,
        answer: &Answer<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let open_prompts = self.open_prompts;
        self.work.apply_answer(answer, open_prompts, version, number);
        self.note_answer(answer, number);
        self.settle(answer, number);
        if &*answer.request.method != "session/fork" {
            self.config.apply_answer(answer, number);
            self.commands.apply_answer(answer, number);
        }
        self.note_refusal(answer);
        match &*answer.request.method {
            method if methods::attaches_session(method) => {
                self.replays = self.replays.saturating_sub(1);
                // The next request may be answered by what follows.
                if self.replays == 0 {
                    self.replay = None;
                }
                self.begin_turn(answer.node);
                if answer.ambiguous {
                    // Where the replay ends is not known.
                    self.attachment = None;
                }
                if answer.result().is_some() || answer.ambiguous {
                    self.closed = None;
                    self.shelved = false;
                }
            }
            "session/archive" if answer.result().is_some() => self.shelved = true,
            "session/close" if answer.result().is_some() && answer.ambiguous => {
                self.shelved = true;
            }
            "session/close" if answer.result().is_some() => {
                self.closed = Some(Anchor::of(answer.node, &""));
            }
            _ => {}
        }
    }

    /// Notes which change of the mode or of an option the agent refuses. Every other answer ends what
    /// is known of an earlier refusal.
    fn note_refusal(&mut self, answer: &Answer<'_>) {
        let refused = || {
            answer.error().filter(|_| !answer.ambiguous)?;
            match &answer.request.facts {
                RequestFacts::Mode { at, .. } => {
                    let kept = ConfigValue::Id(self.authority.mode()?.into());
                    Some(RefusedChange { option: None, kept, at: *at })
                }
                RequestFacts::Setting(setting) => {
                    let kept = self.config.last()?.named(&setting.id)?.current.clone()?;
                    let option = Some(setting.id.clone());
                    Some(RefusedChange { option, kept, at: setting.value_at })
                }
                _ => None,
            }
        };
        match refused() {
            None => self.info.if_made(|info| info.refused = None),
            refused => self.info.refused = refused,
        }
    }

    /// Applies an answer that may be for a request of this method or for another request. What the
    /// request would change is unknown from then on.
    pub(super) fn apply_contested(&mut self, method: &str) {
        match method {
            _ if methods::attaches_session(method) => {
                (self.replay, self.replays) = (None, 0);
                self.attachment = None;
                self.closed = None;
                self.shelved = true;
                self.be_attached(method);
            }
            _ if methods::changes_archive(method) => {
                self.info.if_made(|info| {
                    info.archived = None;
                    info.shown_archived = None;
                });
            }
            _ => {}
        }
    }

    /// Notes that a request of the session was answered, when it is unknown with what.
    pub(super) fn apply_settled(&mut self, request: &Request, answer: &Contested) {
        match (&*request.method, &request.facts) {
            ("session/prompt", _) => self.end_prompt(),
            (method, _) if methods::attaches_session(method) => {
                self.shelved &= answer.is_error != Some(false);
            }
            ("session/archive" | "session/close", _) if answer.is_error != Some(true) => {
                self.shelved = true;
            }
            (_, RequestFacts::Permission(_) | RequestFacts::Question(_)) => {
                self.work.settle(answer.at, answer.number);
            }
            _ => {}
        }
    }

    /// Notes that a prompt has been answered. After the last open one, no cancellation is pending.
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
        self.note_own_command(&kind, update);
        let is_replayed = self.is_replaying();
        let course = &mut *self.course;
        let before = Before {
            activity: &course.activity,
            messages: &course.messages,
            tool_calls: &course.tool_calls,
            is_replayed,
        };
        course.work.apply_update(&kind, update, &before, number);
        self.note_update(&kind, update, version, number);
        if matches!(&*kind, "tool_call" | "tool_call_update" | "current_mode_update") {
            let cwd = self.home.as_ref().map(|home| Arc::clone(&home.path));
            let shows_unasked = self.shows_unasked(update.update.get("content"));
            self.authority.apply_update(&kind, update, version, cwd.as_deref(), shows_unasked);
            self.note_outside(update);
        }
        if matches!(&*kind, "config_option_update" | "current_mode_update") {
            self.info.if_made(|info| info.refused = None);
        }
        match &*kind {
            "config_option_update" => self.config.apply_update(update, number),
            "cursor_update" => self.info.cursors.apply(update.update, number),
            "available_commands_update" => self.commands.apply_update(update, number),
            "user_message" => {
                self.note_command(update.update.get("content"), false);
                self.begin_turn(update.node);
            }
            "compaction_update" | "compaction_summary_chunk" => {
                let turn = self.turn.number;
                self.plans.if_made(|plans| plans.renew(turn, false));
            }
            "plan" | "plan_update" | "plan_removed" => self.plans.tasks.is_planned = true,
            "state_update" if update.update.get("state").is_some_and(|state| state.is("idle")) => {
                self.begin_turn(update.node);
            }
            "tool_call" | "tool_call_update" => {
                self.note_tasks(update);
                let is_final = update.status.is_some_and(|status| {
                    status.is("completed") || status.is("failed") || status.is("cancelled")
                });
                self.turn.finished_tools += u32::from(is_final);
            }
            _ => {}
        }
    }

    pub(super) fn apply_plan(&mut self, updated: &PlanUpdated<'_>, version: Option<Version>) {
        let is_replayed = self.is_replaying();
        let turn = self.turn.number;
        self.plans.apply(updated, turn, is_replayed, version);
    }

    pub(super) fn apply_plan_removed(&mut self, removed: &PlanRemoved<'_>) {
        self.plans.remove(removed);
    }

    /// Notes what a request or notification says of permissions, and of files and commands that the
    /// agent asks of the client.
    fn note_authority(
        &mut self,
        method: &str,
        call: &Call<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let cwd = self.home.as_ref().map(|home| Arc::clone(&home.path));
        let cwd = cwd.as_deref();
        match method {
            "session/request_permission" => self.authority.apply_question(call, version, cwd),
            "fs/write_text_file" | "terminal/create" => {
                if let Some(deed) = Deed::of(call, cwd) {
                    if deed.kind == DeedKind::Write && self.is_outside(&deed.target) {
                        self.authority.note_outside(&deed.target, ChangedBy::Request);
                    }
                    self.authority.apply_deed(deed);
                }
            }
            "session/set_config_option" => self.authority.note_change(number),
            "session/set_mode" => {
                self.authority.note_change(number);
                if let Some(mode) = call.param("modeId").and_then(Node::text) {
                    self.authority.want_mode(mode, number);
                }
            }
            _ => {}
        }
    }

    /// Whether a path, as written, is outside of the session's directories; `false` when that is
    /// unknown.
    fn is_outside(&self, path: &str) -> bool {
        self.roots.as_ref().and_then(|roots| roots.hold(path)) == Some(false)
    }

    /// Notes files outside of the session's directories that a tool call has changed.
    fn note_outside(&mut self, update: &Update<'_>) {
        let is_completed = update.status.is_some_and(|status| status.is("completed"));
        let Some(id) = update.tool_call_id.filter(|_| is_completed && !self.is_replaying()) else {
            return;
        };
        let paths = self.authority.call(id).into_iter().flat_map(CallAuthority::changed_paths);
        let outside = paths.filter(|path| self.is_outside(path)).map(str::to_owned);
        let outside: Vec<_> = outside.collect();
        for path in outside {
            self.authority.note_outside(&path, ChangedBy::ToolCall);
        }
    }

    /// The command that ends with this update of one of the agent's own terminals, if it began in this
    /// turn and no tool call can be about it but one under way; `None` for others.
    pub fn ended_command(&self, update: &Update<'_>) -> Option<Deed> {
        let body = update.update;
        let id = body.get("terminalId")?.text()?;
        let exit = body.get("exitStatus").filter(|exit| exit.is_object())?;
        let known = self.agent_terminals.get(id);
        if known.is_some_and(|it| it.exit.is_some() || it.referenced.is_some()) {
            return None;
        }
        if let Some(reported) = known.and_then(|it| it.reported) {
            let mut ended = self.authority.calls().filter(|(_, call)| call.is_over);
            let may_be_asked = ended.any(|(_, call)| call.is_asked && call.fits(DeedKind::Run));
            if may_be_asked || reported.span() < self.turn.began?.span() {
                return None;
            }
        }
        let own = body.get("command").and_then(Node::text).map(Text::to_boxed);
        let command = own.or_else(|| Some(known?.command.as_ref()?.0.clone()))?;
        let at = Anchor::of(exit, &"/params/update/exitStatus");
        Some(Deed::run(at, target::command_text(&command)))
    }

    fn note_own_command(&mut self, kind: &str, update: &Update<'_>) {
        if kind == "terminal_update"
            && let Some(deed) = self.ended_command(update)
        {
            self.authority.note_deed(deed);
        }
    }

    /// Whether the `content` of a tool call shows a terminal in which a command ran in this turn
    /// about which no permission request could be.
    pub fn shows_unasked(&self, content: Option<Node<'_>>) -> bool {
        let mut terminals = content.into_iter().flat_map(target::terminals);
        terminals.any(|id| {
            let created = self.terminals.get(id).map(|terminal| terminal.created.span());
            let ended = || Some(self.agent_terminals.get(id)?.exit?.0.span());
            let deed = created.or_else(ended).and_then(|place| self.authority.deed_at(place));
            deed.is_some_and(|deed| deed.is_unasked)
        })
    }

    fn begin_turn(&mut self, message: Node<'_>) {
        self.authority.if_made(Authority::begin_turn);
        if !self.is_replaying() {
            self.plans.if_made(Plans::begin_turn);
        }
        self.turn = Turn {
            number: self.turn.number + 1,
            began: Some(Anchor::of(message, &"")),
            finished_tools: 0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For tests: a recording may hold a million idle sessions, so each has to be small.
    #[test]
    fn an_idle_session_is_small() {
        assert!(size_of::<Session>() <= 104, "{} bytes", size_of::<Session>());
        assert!(size_of::<Course>() <= 512, "{} bytes", size_of::<Course>());
        assert!(size_of::<Work>() <= 536, "{} bytes", size_of::<Work>());
    }
}
