//! How a session was attached by `session/load` or `session/resume`: what came between the request
//! and its answer, and whether history still comes afterwards.

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::Set,
    model::{
        anchor::Anchor,
        digest,
        request::setting::InitialOptions,
        session::{activity, messages::MessageKind},
        story::{AcceptedPrompt, OwedReplay, Place},
    },
};

/// The last `session/load` or `session/resume` of a session, and what was replayed before and after
/// its answer. Rules on replays read it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Attachment {
    /// Place of the request that attaches the session, so that a finding can point at it.
    pub request: Anchor,
    /// Message number of the request that attaches the session.
    pub number: u64,
    /// Whether `session/resume` attaches the session, and not `session/load`.
    pub is_resume: bool,
    /// Whether an earlier request to attach the session waited for its answer, so that the history may
    /// answer either.
    pub is_shared: bool,
    /// The options that the request sets; `None` where it sets none.
    pub initial: Option<Box<InitialOptions>>,
    /// Whether updates that came while the session was being attached may be live and not history,
    /// because work was going on when the request was sent.
    pub may_be_live: bool,
    /// Whether the agent reported work while the session was being attached, so that later updates
    /// may be live.
    pub reports_work: bool,
    /// Place of the first `state_update` that listed work in the background while the session was
    /// being attached; `None` without one.
    pub background: Option<Anchor>,
    /// Place of the first message or tool call that was replayed while the session was being
    /// attached; `None` when nothing was.
    pub history: Option<Anchor>,
    /// The last `state_update` that came while the session was being attached; `None` without one.
    pub state: Option<ReportedState>,
    /// Place of the last idle state that came while the session was being attached; `None` without
    /// one.
    pub idle: Option<Anchor>,
    /// Place of the first message or tool call that came after that idle state while the session
    /// was being attached; `None` without one.
    pub after_idle: Option<Anchor>,
    /// Place of the first `replay_complete` that came while the session was being attached; `None`
    /// without one.
    pub complete: Option<Anchor>,
    /// Place of the successful answer to the `session/load` or `session/resume`; `None` while there
    /// is none.
    pub answer: Option<Anchor>,
    /// Place of a message or tool call of the agent that the replayed history must have, as known
    /// when the session was attached; `None` when none is known.
    pub spoken: Option<Anchor>,
    /// Whether a message or tool call came after the answer that attached the session and before
    /// any work began: late history.
    pub is_followed: bool,
    /// Whether the client has sent a prompt since the session was attached, so that rules have
    /// already judged the replay.
    pub is_judged: bool,
    /// Whether the agent has begun work in the session after it was attached, so that the replay is
    /// over.
    pub has_worked: bool,
    /// Place of the first new user message after the session was attached and before any work
    /// began, as long as no other update follows; `None` otherwise.
    pub late: Option<Anchor>,
    /// Whether the replay came after the session was attached: a user message that began no work.
    pub is_late: bool,
    /// Whether a `replay_complete` came after the session was attached.
    pub is_completed_late: bool,
    /// Whether a `state_update` came after the session was attached.
    pub is_state_late: bool,
    /// Whole messages of the user that were replayed while the session was being attached.
    pub replayed: Vec<Inserted>,
    whole: Set<(MessageKind, Box<str>)>,
    /// What the replay of the session's history has to repeat, and what of it has come; `None` when
    /// the agent need not replay anything.
    pub owed: Option<Box<OwedReplay>>,
    /// Prompts that the agent accepted on earlier connections, each with the place where it gave
    /// the prompt an id.
    pub prompts: Vec<(AcceptedPrompt, Place)>,
    /// The plan that earlier connections showed last, if the replayed history must show it.
    pub plan: Option<Place>,
    /// Subagents that the replayed history names; at most 64.
    pub children: Vec<ReplayedChild>,
    /// Whether the creation of the session is on record, on this or another connection.
    pub is_begun: bool,
    /// How many stretches of the transcript before the attachment could not be read. A later,
    /// higher count shows that messages are missing since then.
    pub lost: u64,
}

/// A `state_update` that came while the session was being attached.
#[derive(Clone, Copy, Debug)]
pub struct ReportedState {
    pub at: Anchor,
    pub is_idle: bool,
    /// Whether the state is one that the protocol defines.
    pub is_defined: bool,
}

/// A message of the user in the session's history: an update shows it, or an answer to a prompt
/// names it.
#[derive(Clone, Debug)]
pub struct Inserted {
    pub id: Box<str>,
    /// Digest of the message's content, to compare it with the content of prompts.
    pub content: u64,
    /// Place of the message's id, so that a finding can point at it.
    pub at: Anchor,
}

/// A subagent that the replayed history of its parent session names.
#[derive(Clone, Debug)]
pub struct ReplayedChild {
    pub id: Box<str>,
    /// Place of the first message or tool call of the subagent in the replay of its parent's
    /// history; `None` when nothing of it was replayed.
    pub history: Option<Anchor>,
    /// Whether the agent has sent `replay_complete` for the subagent's session.
    pub is_complete: bool,
}

/// Whether an update of this kind belongs to a history: one about a message or tool call, not about
/// a state.
pub fn is_history(kind: &str) -> bool {
    MessageKind::of(kind).is_some()
        || matches!(kind, "tool_call" | "tool_call_update" | "tool_call_content_chunk")
}

impl Attachment {
    /// Whether this is the last `state_update` that came while the session was being attached.
    pub fn reports_state(&self, state: Anchor) -> bool {
        self.state.is_some_and(|own| own.at.span() == state.span())
    }

    pub(super) fn by(call: &Call<'_>, number: u64, may_be_live: bool) -> Self {
        Self {
            request: Anchor::of(call.node, &""),
            number,
            is_resume: call.method == "session/resume",
            is_shared: false,
            initial: InitialOptions::of(call).map(Box::new),
            may_be_live,
            reports_work: false,
            background: None,
            history: None,
            state: None,
            idle: None,
            after_idle: None,
            complete: None,
            answer: None,
            spoken: None,
            is_followed: false,
            is_judged: false,
            has_worked: false,
            late: None,
            is_late: false,
            is_completed_late: false,
            is_state_late: false,
            replayed: Vec::new(),
            whole: Set::default(),
            owed: None,
            prompts: Vec::new(),
            plan: None,
            children: Vec::new(),
            is_begun: false,
            lost: 0,
        }
    }

    /// Whether some of the updates that came while the session was being attached may be live and
    /// not history: work was going on before, or the agent has reported it since.
    pub fn is_live_in_part(&self) -> bool {
        self.may_be_live || self.reports_work
    }

    /// Whether an update of this kind counts as replayed history. Updates of tool calls do not,
    /// once a state has listed work in the background since the request.
    pub fn counts_as_history(&self, kind: &str) -> bool {
        is_history(kind) && !(self.background.is_some() && kind.starts_with("tool_call"))
    }

    /// Whether the message of this kind and id was replayed as a whole, not in chunks, while the
    /// session was being attached.
    pub fn has_whole(&self, message_kind: MessageKind, id: &str) -> bool {
        self.whole.contains(&(message_kind, id.into()))
    }

    /// Whether nothing on record shows what the replay of the session's history must contain.
    pub fn is_unknown(&self) -> bool {
        !self.is_begun && self.owed.is_none()
    }

    /// Notes that the replayed history names a subagent, so that updates for its session count as
    /// part of the replay.
    pub(in crate::model) fn name_child(&mut self, id: &str) {
        /// Most subagents of a replayed history that are noted; further ones are ignored.
        const MOST: usize = 64;
        if self.children.len() < MOST && self.children.iter().all(|child| *child.id != *id) {
            self.children.push(ReplayedChild { id: id.into(), history: None, is_complete: false });
        }
    }

    /// Applies an update of a subagent's session while the history of its parent is being replayed.
    pub(in crate::model) fn apply_child(&mut self, id: &str, kind: &str, update: &Update<'_>) {
        let Some(child) = self.children.iter_mut().find(|child| *child.id == *id) else { return };
        child.is_complete |= kind == "replay_complete";
        if is_history(kind) {
            let at = Anchor::of(update.update, &"/params/update");
            child.history = child.history.or(Some(at));
        }
    }

    /// Notes that work begins, after which updates are no longer taken for late history.
    pub(super) fn work(&mut self) {
        self.has_worked = true;
        self.late = None;
    }

    /// Applies an update that comes while the session is being attached, as part of the replay.
    pub(super) fn apply(&mut self, kind: &str, update: &Update<'_>) {
        let at = Anchor::of(update.update, &"/params/update");
        if kind == "state_update" {
            let state = update.update.get("state").and_then(Node::text).map(Text::as_cow);
            let state = state.as_deref().unwrap_or_default();
            let is_idle = state == "idle";
            let is_working = matches!(state, "running" | "requires_action");
            let is_defined = activity::is_defined(state);
            self.state = Some(ReportedState { at, is_idle, is_defined });
            self.reports_work |= is_working;
            if is_idle {
                (self.idle, self.after_idle) = (Some(at), None);
            }
            let background = update.update.get("background");
            if background.is_some_and(|list| list.elements().next().is_some()) {
                self.background = self.background.or(Some(at));
            }
        }
        if kind == "replay_complete" {
            self.complete = self.complete.or(Some(at));
        }
        if !self.counts_as_history(kind) {
            return;
        }
        self.history = self.history.or(Some(at));
        self.after_idle = self.after_idle.or(self.idle.map(|_| at));
        let (Some(message_kind), Some(id)) = (MessageKind::of(kind), update.message_id) else {
            return;
        };
        if kind.ends_with("_chunk") {
            return;
        }
        self.whole.insert((message_kind, id.to_boxed()));
        if message_kind == MessageKind::User
            && let Some(content) = update.update.get("content")
        {
            self.replayed.push(Inserted {
                id: id.to_boxed(),
                content: digest::of(content),
                at: Anchor::of(id.node(), &"/params/update/messageId"),
            });
        }
    }

    /// Applies an update that comes after the session was attached. `is_new` is true when it
    /// belongs to a message that no earlier update has shown.
    pub(super) fn follow(&mut self, kind: &str, update: &Update<'_>, is_new: bool) {
        self.is_followed |= is_history(kind) && !self.has_worked;
        self.is_completed_late |= kind == "replay_complete";
        self.is_state_late |= kind == "state_update";
        let state = update.update.get("state");
        let works = |state: Node<'_>| state.is("running") || state.is("requires_action");
        if kind == "state_update" && state.is_some_and(works) {
            self.work();
        } else if self.late.take().is_some() {
            // Only the first one counts.
            self.has_worked = true;
            self.is_late = true;
        } else if kind == "user_message" && is_new && !self.has_worked {
            self.late = Some(Anchor::of(update.update, &"/params/update"));
        }
    }
}
